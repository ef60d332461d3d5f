package io.headrace.runtime.file;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of one path component, with the syntax of fnmatch(3), which TensorFlow calls: {@code *}
 * stands for any characters, {@code ?} for one, {@code [a-c]} for one of a set, {@code [!a-c]} or
 * {@code [^a-c]} for one outside of it, {@code [[:alpha:]]} for one of a POSIX class, and a
 * backslash makes the next character stand for itself. A bracket that is not closed stands for
 * itself. No other character is special, nor is a leading dot.
 *
 * <p>Parsing takes time linear in the pattern, apart from sorting a set's ranges. A match takes at
 * most the square of the name's length, which file systems bound. Immutable.
 */
public final class GlobPattern {
  private static final String SPECIAL = "*?[\\";

  /** Matches one character, or any number of them. */
  private sealed interface Token {}

  /** {@code *}; a run of them is one token. */
  private record Star() implements Token {}

  /** {@code ?}. */
  private record AnyCharacter() implements Token {}

  /** A character that stands for itself. */
  private record Literal(int character) implements Token {}

  /** A set in brackets. */
  private record Set(boolean negated, List<Range> ranges, List<IntPredicate> classes)
      implements Token {
    boolean accepts(int character) {
      return contains(character) != negated;
    }

    private boolean contains(int character) {
      int from = 0;
      int to = ranges.size();
      while (from < to) {
        int middle = (from + to) >>> 1;
        if (ranges.get(middle).last < character) {
          from = middle + 1;
        } else {
          to = middle;
        }
      }
      boolean inRange = from < ranges.size() && ranges.get(from).first <= character;
      return inRange || classes.stream().anyMatch(c -> c.test(character));
    }
  }

  /** The characters from {@code first} to {@code last}. */
  private record Range(int first, int last) {}

  private final List<Token> tokens;

  private GlobPattern(List<Token> tokens) {
    this.tokens = tokens;
  }

  /** Whether {@code component} contains a special character. */
  public static boolean isPattern(String component) {
    return literalPrefix(component).length() < component.length();
  }

  /** The part of {@code component} before its first special character: all matches begin so. */
  public static String literalPrefix(String component) {
    int end = 0;
    while (end < component.length() && SPECIAL.indexOf(component.charAt(end)) < 0) {
      end++;
    }
    return component.substring(0, end);
  }

  /** Parses {@code component}. */
  public static GlobPattern of(String component) {
    return new GlobPattern(new Parser(component).parse());
  }

  /** Whether the whole {@code name} matches. */
  public boolean matches(String name) {
    int[] text = name.codePoints().toArray();
    int at = 0;
    int token = 0;
    int star = -1;
    int starEnd = 0; // the last star stands for the characters before this one
    while (at < text.length) {
      @Nullable Token next = token < tokens.size() ? tokens.get(token) : null;
      if (next instanceof Star) {
        star = token++;
        starEnd = at;
      } else if (next != null && accepts(next, text[at])) {
        token++;
        at++;
      } else if (star >= 0) {
        // Only the last star need grow: growing an earlier one leaves the rest fewer characters.
        token = star + 1;
        at = ++starEnd;
      } else {
        return false;
      }
    }
    while (token < tokens.size() && tokens.get(token) instanceof Star) {
      token++;
    }
    return token == tokens.size();
  }

  private static boolean accepts(Token token, int character) {
    return switch (token) {
      case Star _ -> true;
      case AnyCharacter _ -> true;
      case Literal literal -> literal.character == character;
      case Set set -> set.accepts(character);
    };
  }

  /** Parses one component. Used once. */
  private static final class Parser {
    private static final Map<String, IntPredicate> CLASSES =
        Map.ofEntries(
            Map.entry("alnum", Character::isLetterOrDigit),
            Map.entry("alpha", Character::isLetter),
            Map.entry("blank", c -> c == ' ' || c == '\t'),
            Map.entry("cntrl", Character::isISOControl),
            Map.entry("digit", c -> c >= '0' && c <= '9'),
            Map.entry("graph", Parser::isGraphic),
            Map.entry("lower", Character::isLowerCase),
            Map.entry("print", c -> c == ' ' || isGraphic(c)),
            Map.entry("punct", c -> isGraphic(c) && !Character.isLetterOrDigit(c)),
            Map.entry("space", Character::isWhitespace),
            Map.entry("upper", Character::isUpperCase),
            Map.entry("xdigit", c -> c < 0x80 && Character.digit(c, 16) >= 0));

    private static final int LONGEST_CLASS = "[:xdigit:]".length();

    private final int[] text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    /** A set that begins here is not closed, nor is one behind it: their ends are not sought. */
    private int unclosedFrom = Integer.MAX_VALUE;

    Parser(String component) {
      text = component.codePoints().toArray();
    }

    List<Token> parse() {
      while (at < text.length) {
        int character = text[at++];
        switch (character) {
          case '*' -> star();
          case '?' -> tokens.add(new AnyCharacter());
          case '[' -> bracket();
          case '\\' -> escaped();
          default -> tokens.add(new Literal(character));
        }
      }
      return tokens;
    }

    private void star() {
      if (tokens.isEmpty() || !(tokens.getLast() instanceof Star)) {
        tokens.add(new Star());
      }
    }

    /** A backslash at the end matches nothing, as a set without characters does. */
    private void escaped() {
      tokens.add(at < text.length ? new Literal(text[at++]) : new Set(false, List.of(), List.of()));
    }

    private void bracket() {
      int start = at;
      if (start < unclosedFrom && !set()) {
        unclosedFrom = start;
      }
      if (start >= unclosedFrom) {
        at = start;
        tokens.add(new Literal('['));
      }
    }

    /** Parses a set behind its bracket; returns false if it is not closed. */
    private boolean set() {
      boolean negated = at < text.length && (text[at] == '!' || text[at] == '^');
      at += negated ? 1 : 0;
      List<Range> ranges = new ArrayList<>();
      List<IntPredicate> classes = new ArrayList<>();
      for (int begin = at; at < text.length; ) {
        if (text[at] == ']' && at > begin) {
          at++;
          tokens.add(new Set(negated, merged(ranges), classes));
          return true;
        }
        if (!posixClass(classes)) {
          range(ranges);
        }
      }
      return false;
    }

    private void range(List<Range> ranges) {
      int first = character();
      int last = first;
      if (at + 1 < text.length && text[at] == '-' && text[at + 1] != ']') {
        at++;
        last = character();
      }
      if (first <= last) {
        ranges.add(new Range(first, last));
      }
    }

    private int character() {
      at += text[at] == '\\' && at + 1 < text.length ? 1 : 0;
      return text[at++];
    }

    /** Parses {@code [:name:]} if it follows and the name is known. */
    private boolean posixClass(List<IntPredicate> classes) {
      int length = Math.min(LONGEST_CLASS, text.length - at);
      if (text[at] != '[' || length < 2 || text[at + 1] != ':') {
        return false;
      }
      String begin = new String(text, at + 2, length - 2);
      int end = begin.indexOf(":]");
      @Nullable IntPredicate known = end < 0 ? null : CLASSES.get(begin.substring(0, end));
      if (known == null) {
        return false;
      }
      if (!classes.contains(known)) {
        classes.add(known);
      }
      at += end + 4;
      return true;
    }

    private static boolean isGraphic(int character) {
      return Character.isDefined(character)
          && !Character.isISOControl(character)
          && !Character.isWhitespace(character);
    }

    /** The union of {@code ranges}, in order and apart. */
    private static List<Range> merged(List<Range> ranges) {
      List<Range> merged = new ArrayList<>();
      ranges.sort(Comparator.comparingInt(Range::first));
      for (Range range : ranges) {
        if (!merged.isEmpty() && range.first <= merged.getLast().last) {
          Range before = merged.removeLast();
          merged.add(new Range(before.first, Math.max(before.last, range.last)));
        } else {
          merged.add(range);
        }
      }
      return List.copyOf(merged);
    }
  }
}

package io.headrace.kernels.regex;

import org.jspecify.annotations.Nullable;

/** Parses sets of code points: {@code [^a-z]}, {@code \d}, {@code \pL}, {@code [:alpha:]}. */
final class RuneClassParser {
  private final RegexReader in;
  private final boolean foldCase;
  private final RuneSet.Builder set = new RuneSet.Builder();

  private RuneClassParser(RegexReader in, boolean foldCase) {
    this.in = in;
    this.foldCase = foldCase;
  }

  /** Takes a set in brackets. */
  static RuneSet bracketed(RegexReader in, boolean foldCase) {
    return new RuneClassParser(in, foldCase).bracketed();
  }

  /** Takes an escape that stands for a set; null, and nothing taken, if none follows. */
  static @Nullable RuneSet named(RegexReader in, boolean foldCase) {
    RuneClassParser parser = new RuneClassParser(in, foldCase);
    return parser.unicode() || parser.ascii() ? parser.set.build() : null;
  }

  private RuneSet bracketed() {
    int from = in.position();
    in.skip(1);
    boolean isNegated = in.accept('^');
    boolean isFirst = true; // a bracket closes nothing there
    while (!in.atEnd() && (in.peek() != ']' || isFirst)) {
      isFirst = false;
      boolean isGroup = in.position() + 2 < in.size() && (posix() || unicode());
      if (!isGroup && !ascii()) {
        range(from);
      }
    }
    if (in.atEnd()) {
      throw missingBracket(from);
    }
    in.skip(1);
    RuneSet built = set.build();
    return isNegated ? built.negated() : built;
  }

  private RuntimeException missingBracket(int from) {
    return in.failure("missing ]: ", in.text(from, in.size()));
  }

  private void range(int classFrom) {
    int from = in.position();
    int first = rune(classFrom);
    int last = first;
    int next = in.byteAt(in.position() + 1);
    if (in.peek() == '-' && next >= 0 && next != ']') {
      in.skip(1);
      last = rune(classFrom);
      if (last < first) {
        throw in.failure("invalid character class range: ", in.since(from));
      }
    }
    add(RuneSet.of(first, last));
  }

  private int rune(int classFrom) {
    if (in.atEnd()) {
      throw missingBracket(classFrom);
    }
    return in.peek() == '\\' ? in.escape() : in.rune();
  }

  private void add(RuneSet part) {
    set.addAll(foldCase ? part.folded() : part);
  }

  private void add(RuneSet part, boolean isNegated) {
    RuneSet folded = foldCase ? part.folded() : part;
    set.addAll(isNegated ? folded.negated() : folded);
  }

  /** Takes {@code [:name:]}. */
  private boolean posix() {
    int from = in.position();
    if (!in.startsWith("[:")) {
      return false;
    }
    in.skip(2);
    int end = in.indexOf(":]");
    if (end < 0) {
      in.skip(-2);
      return false;
    }
    boolean isNegated = in.accept('^');
    String name = in.text(in.position(), Math.max(in.position(), end));
    RuneSet group = UnicodeGroups.ascii("[:" + name + ":]");
    in.skip(end + 2 - in.position());
    if (group == null) {
      throw in.failure("invalid character class range: ", in.since(from));
    }
    add(group, isNegated);
    return true;
  }

  /** Takes {@code \d}, {@code \s}, {@code \w} or a negation of one. */
  private boolean ascii() {
    int letter = in.peek() == '\\' ? in.byteAt(in.position() + 1) : -1;
    if (letter < 0 || "dDsSwW".indexOf(letter) < 0) {
      return false;
    }
    in.skip(2);
    RuneSet group = UnicodeGroups.ascii("\\" + (char) (letter | 0x20));
    if (group != null) {
      add(group, letter < 'a');
    }
    return true;
  }

  /** Takes {@code \pN}, <code>\p{Greek}</code>, <code>\p{^Greek}</code> or a negation of one. */
  private boolean unicode() {
    int letter = in.peek() == '\\' ? in.byteAt(in.position() + 1) : -1;
    if (letter != 'p' && letter != 'P') {
      return false;
    }
    int from = in.position();
    in.skip(2);
    String name = groupName(from);
    boolean isNegated = name.startsWith("^");
    RuneSet group = UnicodeGroups.named(isNegated ? name.substring(1) : name);
    if (group == null) {
      throw in.failure("invalid character class range: ", in.since(from));
    }
    add(group, isNegated != (letter == 'P'));
    return true;
  }

  private String groupName(int from) {
    int begin = in.position();
    if (!in.accept('{')) {
      int rune = in.runeOrMalformed();
      return rune == Utf8.MALFORMED ? "" : in.since(begin);
    }
    int end = in.indexOf('}');
    if (end < 0) {
      in.checkUtf8(from, in.size());
      throw in.failure("invalid character class range: ", in.text(from, in.size()));
    }
    in.checkUtf8(begin + 1, end);
    in.skip(end + 1 - in.position());
    return in.text(begin + 1, end);
  }
}

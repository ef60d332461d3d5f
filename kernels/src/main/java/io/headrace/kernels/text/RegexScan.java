package io.headrace.kernels.text;

import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Measures a regular expression before RE2/J compiles it, whose time is quadratic in the program
 * and whose recursion is as deep as the expression. Refuses, in time linear in its text, one that
 * would become too large. It leaves other errors in the syntax to the compiler. Used once.
 */
final class RegexScan {
  /** Instructions of a program; RE2 accepts about 699,000 of its smaller ones. */
  static final int MAX_INSTRUCTIONS = 1 << 14;

  /** RE2's bound on a repetition, and on the product of nested ones. */
  private static final int MAX_REPEATS = 1000;

  private static final int MAX_NESTING = 1000;

  /** The text's characters, where a Unicode class counts as several. */
  private static final int MAX_TEXT = 1 << 15;

  private static final int UNICODE_CLASS_TEXT = 64;

  /** A rewrite refers to no later group, so that later ones need not be captured. */
  private static final int MAX_CAPTURES = 9;

  private static final int CAPTURE_INSTRUCTIONS = 2;
  private static final int MAX_SHOWN = 1000;

  /** An open group: its size in instructions, and that of the item that a repetition repeats. */
  private static final class Group {
    private long size;
    private int repeats = 1;
    private long itemSize;
    private int itemRepeats = 1;

    Group(long size) {
      this.size = size;
    }

    /** Ends the item and begins another. */
    void begin(long nextSize, int nextRepeats) {
      size += itemSize;
      repeats = Math.max(repeats, itemRepeats);
      itemSize = nextSize;
      itemRepeats = nextRepeats;
    }
  }

  private final String text;
  private final StringBuilder kept = new StringBuilder();
  private final Deque<Group> groups = new ArrayDeque<>();
  private final Set<String> names = new HashSet<>();
  private Group group = new Group(0);
  private int captures;
  private int cost;
  private int at;

  private RegexScan(String text) {
    this.text = text;
  }

  /**
   * A measured expression.
   *
   * @param text the expression, which captures the groups 1 to 9 only
   * @param instructions an upper bound of its program's size
   */
  record Measured(String text, int instructions) {}

  /** Measures {@code text}; INVALID_ARGUMENT, with RE2's messages, if it is too large. */
  static Measured measure(String text) {
    return new RegexScan(text).measure();
  }

  /** INVALID_ARGUMENT that shows the pattern, or its beginning if it is long. */
  static StatusException invalid(String pattern, String error) {
    String shown =
        pattern.length() <= MAX_SHOWN ? pattern : pattern.substring(0, MAX_SHOWN) + "...";
    return StatusException.invalidArgument("Invalid pattern: %s, error: %s", shown, error);
  }

  private Measured measure() {
    boolean isBalanced = true;
    while (at < text.length() && isBalanced) {
      int from = at;
      boolean isKept = true;
      char c = text.charAt(at++);
      switch (c) {
        case '\\' -> escape();
        case '[' -> characterClass();
        case '(' -> isKept = open();
        case ')' -> isBalanced = close();
        case '|' -> group.begin(1, 1);
        case '*', '+', '?' -> repeat(1, 1);
        case '{' -> counted(from);
        default -> item();
      }
      if (isKept) {
        kept.append(text, from, at);
      }
      cost += at - from;
      if (cost > MAX_TEXT) {
        throw tooLarge("%d characters".formatted(MAX_TEXT));
      }
    }
    kept.append(text, at, text.length());
    group.begin(0, 1);
    for (Group open : groups) {
      group.size += open.size + open.itemSize;
    }
    return new Measured(kept.toString(), (int) Math.min(group.size, Integer.MAX_VALUE));
  }

  /** Begins an item of one instruction. */
  private void item() {
    group.begin(1, 1);
    checkSize();
  }

  private void checkSize() {
    if (group.size + group.itemSize > MAX_INSTRUCTIONS) {
      throw tooLarge("%d instructions".formatted(MAX_INSTRUCTIONS));
    }
  }

  private StatusException tooLarge(String bound) {
    return invalid(text, "pattern too large - compile failed: it needs more than " + bound);
  }

  private void escape() {
    char c = at < text.length() ? text.charAt(at++) : 0;
    if (c == 'Q') {
      int end = text.indexOf("\\E", at);
      int literalEnd = end < 0 ? text.length() : end;
      while (at < literalEnd) {
        at++;
        item();
      }
      at = end < 0 ? at : end + 2;
      return;
    }
    item();
    boolean isUnicodeClass = c == 'p' || c == 'P';
    cost += isUnicodeClass ? UNICODE_CLASS_TEXT : 0;
    if ((isUnicodeClass || c == 'x') && text.startsWith("{", at)) {
      int end = text.indexOf('}', at);
      at = end < 0 ? text.length() : end + 1;
    }
  }

  private void characterClass() {
    item();
    at += text.startsWith("^", at) ? 1 : 0;
    for (int begin = at; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == ']' && at > begin) {
        at++;
        return;
      }
      if (c == '\\' && at + 1 < text.length()) {
        at++;
        cost += text.charAt(at) == 'p' || text.charAt(at) == 'P' ? UNICODE_CLASS_TEXT : 0;
      } else if (text.startsWith("[:", at)) {
        skipNamedClass();
      }
    }
  }

  /** Skips {@code [:name:]} up to its bracket, if it is one. */
  private void skipNamedClass() {
    int end = at + 2;
    while (end < text.length() && (text.charAt(end) == '^' || isWord(text.charAt(end)))) {
      end++;
    }
    at = text.startsWith(":]", end) ? end + 1 : at;
  }

  /** Opens a group behind its parenthesis; returns false if it has copied it otherwise. */
  private boolean open() {
    boolean isNamed = text.startsWith("?P<", at);
    if (text.startsWith("?", at) && !isNamed) {
      int end = at + 1;
      while (end < text.length() && (text.charAt(end) == '-' || isWord(text.charAt(end)))) {
        end++;
      }
      boolean isFlags = text.startsWith(")", end);
      at = isFlags || text.startsWith(":", end) ? end + 1 : end;
      if (!isFlags) {
        push(new Group(0));
      }
      return true;
    }
    int end = isNamed ? endOfName() : at;
    if (end < 0) {
      item(); // not a name: the compiler refuses it
      return true;
    }
    at = end;
    boolean isCaptured = ++captures <= MAX_CAPTURES;
    push(new Group(isCaptured ? CAPTURE_INSTRUCTIONS : 0));
    if (!isCaptured) {
      kept.append("(?:");
    }
    return isCaptured;
  }

  /** The offset behind {@code ?P<name>}, or -1 if that does not follow. */
  private int endOfName() {
    int begin = at + "?P<".length();
    int end = begin;
    while (end < text.length() && isWord(text.charAt(end))) {
      end++;
    }
    if (end == begin || !text.startsWith(">", end)) {
      return -1;
    }
    String name = text.substring(begin, end);
    if (!names.add(name)) {
      throw invalid(text, "invalid named capture group: (?P<" + name + ">");
    }
    return end + 1;
  }

  private void push(Group inner) {
    if (groups.size() == MAX_NESTING) {
      throw invalid(
          text, "expression nests too deeply: more than %d groups".formatted(MAX_NESTING));
    }
    groups.push(group);
    group = inner;
  }

  /** Closes a group, which becomes an item of the outer one; returns false if none is open. */
  private boolean close() {
    if (groups.isEmpty()) {
      return false;
    }
    Group inner = group;
    inner.begin(0, 1);
    group = groups.pop();
    group.begin(inner.size, inner.repeats);
    checkSize();
    return true;
  }

  /** Repeats the item: it takes {@code copies} times its instructions, and {@code more}. */
  private void repeat(long copies, long more) {
    group.itemSize = group.itemSize * copies + more;
    at += text.startsWith("?", at) ? 1 : 0;
    checkSize();
  }

  /** Parses a counted repetition behind its brace, which otherwise is an ordinary character. */
  private void counted(int from) {
    int minEnd = endOfNumber(at);
    boolean hasMax = text.startsWith(",", minEnd);
    int maxEnd = hasMax ? endOfNumber(minEnd + 1) : minEnd;
    if (minEnd == at || !text.startsWith("}", maxEnd)) {
      item();
      return;
    }
    int min = number(at, minEnd);
    boolean isOpen = hasMax && maxEnd == minEnd + 1;
    int max = isOpen ? min : hasMax ? number(minEnd + 1, maxEnd) : min;
    at = maxEnd + 1;
    long repeats = (long) Math.max(1, max) * group.itemRepeats;
    if (max < min || max > MAX_REPEATS || ((max > 1 || min > 1) && repeats > MAX_REPEATS)) {
      String size = text.substring(from, at + (text.startsWith("?", at) ? 1 : 0));
      throw invalid(
          text,
          "invalid repetition size: "
              + (size.length() > MAX_SHOWN ? size.substring(0, MAX_SHOWN) + "..." : size));
    }
    group.itemRepeats = (int) repeats;
    repeat(Math.max(1, max), max - min + 1L);
  }

  private int endOfNumber(int from) {
    int end = from;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  /** The number, or one beyond the bound on repetitions if it passes that. */
  private int number(int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      value = Math.min(MAX_REPEATS + 1, value * 10 + text.charAt(i) - '0');
    }
    return value;
  }

  private static boolean isWord(char c) {
    return c < 0x80 && (Character.isLetterOrDigit(c) || c == '_');
  }
}

package io.headrace.kernels.regex;

/** Conditions on the place between two bytes, as bits, and the bytes that decide them. */
final class Assertions {
  static final int BEGIN_LINE = 1;
  static final int END_LINE = 1 << 1;
  static final int BEGIN_TEXT = 1 << 2;
  static final int END_TEXT = 1 << 3;
  static final int WORD_BOUNDARY = 1 << 4;
  static final int NO_WORD_BOUNDARY = 1 << 5;

  /** Stands for the byte before the text and the one behind it. */
  static final int NO_BYTE = -1;

  private Assertions() {}

  /** The conditions that hold between two bytes, each of 0 to 255 or {@link #NO_BYTE}. */
  static int between(int before, int after) {
    int flags = before == NO_BYTE ? BEGIN_TEXT | BEGIN_LINE : before == '\n' ? BEGIN_LINE : 0;
    flags |= after == NO_BYTE ? END_TEXT | END_LINE : after == '\n' ? END_LINE : 0;
    return flags | (isWord(before) == isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY);
  }

  /** The conditions that hold at {@code at} in {@code text}. */
  static int at(byte[] text, int at) {
    return between(before(text, at), at == text.length ? NO_BYTE : text[at] & 0xff);
  }

  /** The byte before {@code at}. */
  static int before(byte[] text, int at) {
    return at == 0 ? NO_BYTE : text[at - 1] & 0xff;
  }

  static boolean isWord(int b) {
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_';
  }
}

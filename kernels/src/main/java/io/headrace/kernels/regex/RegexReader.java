package io.headrace.kernels.regex;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.status.StatusException;
import java.util.Arrays;

/** The bytes of a pattern and the place that the parser has reached. Not thread-safe. */
final class RegexReader {
  private static final int MAX_SHOWN = 1000;
  private static final int NO_NUMBER = -2;
  private static final int NUMBERS_BELOW = 100_000_000;

  private final byte[] pattern;
  private int at;
  private int repetitionMax;

  RegexReader(byte[] pattern) {
    this.pattern = pattern;
  }

  boolean atEnd() {
    return at >= pattern.length;
  }

  int position() {
    return at;
  }

  int size() {
    return pattern.length;
  }

  int peek() {
    return byteAt(at);
  }

  /** The byte at {@code index}, or -1 behind the end. */
  int byteAt(int index) {
    return index < pattern.length ? pattern[index] & 0xff : -1;
  }

  void skip(int bytes) {
    at += bytes;
  }

  boolean accept(char c) {
    boolean isNext = peek() == c;
    at += isNext ? 1 : 0;
    return isNext;
  }

  boolean startsWith(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (byteAt(at + i) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** The next index of {@code c}, or -1. */
  int indexOf(char c) {
    return indexOf(String.valueOf(c));
  }

  /** The next index of {@code text}, or -1. */
  int indexOf(String text) {
    return ByteStrings.indexOf(pattern, ByteStrings.bytes(text), at);
  }

  String text(int from, int to) {
    return ByteStrings.text(Arrays.copyOfRange(pattern, from, to));
  }

  String since(int from) {
    return text(from, at);
  }

  String all() {
    return text(0, pattern.length);
  }

  /** INVALID_ARGUMENT, as RE2 says it. */
  StatusException failure(String error, String argument) {
    return StatusException.invalidArgument(
        "Invalid pattern: %s, error: %s%s", shown(all()), error, shown(argument));
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
  }

  /** Takes a code point. */
  int rune() {
    int rune = runeOrMalformed();
    if (rune == Utf8.MALFORMED) {
      throw failure("invalid UTF-8", "");
    }
    return rune;
  }

  /** Takes a code point, or nothing if it is malformed. */
  int runeOrMalformed() {
    int rune = Utf8.decode(pattern, at);
    at += rune == Utf8.MALFORMED ? 0 : Utf8.size(rune);
    return rune;
  }

  void checkUtf8(int from, int to) {
    int before = at;
    at = from;
    while (at < to) {
      var _ = rune();
    }
    at = before;
  }

  /**
   * Takes a repetition, without the question mark behind it, and returns its least number. Returns
   * -1 if none follows; a brace without numbers is none.
   */
  int repetitionMin() {
    switch (peek()) {
      case '*' -> repetitionMax = RegexNode.Repetition.UNBOUNDED;
      case '+' -> {
        at++;
        repetitionMax = RegexNode.Repetition.UNBOUNDED;
        return 1;
      }
      case '?' -> repetitionMax = 1;
      case '{' -> {
        return counted();
      }
      default -> {
        return -1;
      }
    }
    at++;
    return 0;
  }

  /** The greatest number of the repetition that was taken last. */
  int repetitionMax() {
    return repetitionMax;
  }

  private int counted() {
    int from = at++;
    int min = number();
    repetitionMax = min;
    if (min >= 0 && accept(',')) {
      repetitionMax = peek() == '}' ? RegexNode.Repetition.UNBOUNDED : number();
      min = repetitionMax == NO_NUMBER ? NO_NUMBER : min;
    }
    if (min < 0 || !accept('}')) {
      at = from;
      return -1;
    }
    return min;
  }

  /** Takes a number of at most nine digits without leading zeros; {@link #NO_NUMBER} for others. */
  private int number() {
    boolean isZero = peek() == '0';
    if (!isDigit(peek()) || (isZero && isDigit(byteAt(at + 1)))) {
      return NO_NUMBER;
    }
    int value = 0;
    while (isDigit(peek())) {
      if (value >= NUMBERS_BELOW) {
        return NO_NUMBER;
      }
      value = value * 10 + peek() - '0';
      at++;
    }
    return value;
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  /** Takes an escape, from its backslash on, that stands for one code point. */
  int escape() {
    int from = at++;
    if (atEnd()) {
      throw failure("trailing \\", "");
    }
    int c = rune();
    return switch (c) {
      case 'a' -> 7;
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'v' -> 11;
      case 'x' -> hexadecimal(from);
      case '0', '1', '2', '3', '4', '5', '6', '7' -> octal(from, c - '0');
      default -> {
        if (c >= 0x80 || (Assertions.isWord(c) && c != '_')) {
          throw badEscape(from);
        }
        yield c;
      }
    };
  }

  private StatusException badEscape(int from) {
    return failure("invalid escape sequence: ", since(from));
  }

  private int octal(int from, int first) {
    if (first > 0 && !isOctal(peek())) {
      throw badEscape(from); // a reference to a group
    }
    int value = first;
    for (int i = 0; i < 2 && isOctal(peek()); i++) {
      value = value * 8 + peek() - '0';
      at++;
    }
    return value;
  }

  private static boolean isOctal(int c) {
    return c >= '0' && c <= '7';
  }

  private int hexadecimal(int from) {
    int first = escaped(from);
    if (first != '{') {
      int second = escaped(from);
      int value = Character.digit(first, 16) * 16 + Character.digit(second, 16);
      if (!isHexadecimal(first) || !isHexadecimal(second)) {
        throw badEscape(from);
      }
      return value;
    }
    int value = 0;
    int digits = 0;
    int c = rune();
    while (isHexadecimal(c)) {
      digits++;
      value = value * 16 + Character.digit(c, 16);
      if (value > RuneSet.MAX_RUNE) {
        throw badEscape(from);
      }
      c = escaped(from);
    }
    if (c != '}' || digits == 0) {
      throw badEscape(from);
    }
    return value;
  }

  private int escaped(int from) {
    if (atEnd()) {
      throw badEscape(from);
    }
    return rune();
  }

  private static boolean isHexadecimal(int c) {
    return c < 0x80 && Character.digit(c, 16) >= 0;
  }
}

package io.headrace.kernels.kit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Parses numbers with TensorFlow's syntax: surrounding white space, a sign and hexadecimal floats
 * are accepted; underscores, suffixes and trailing text are rejected.
 */
public final class NumberParser {
  // Digits are matched possessively: to give them back and try again would take quadratic time.
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(\\d++(\\.\\d*+)?|\\.\\d++)([eE][+-]?\\d++)?");
  private static final Pattern HEX =
      Pattern.compile(
          "[+-]?0[xX]([0-9a-fA-F]++(\\.[0-9a-fA-F]*+)?|\\.[0-9a-fA-F]++)"
              + "(?<exponent>[pP][+-]?\\d++)?");
  private static final Pattern NAN = Pattern.compile("nan(\\([0-9a-z_]*\\))?");

  /** Numbers of so many digits, and their powers of ten, are exact in double precision. */
  private static final int EXACT_DIGITS = 15;

  private static final double[] POWERS_OF_TEN = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  /** The bits of a double behind a float's, and their value halfway between two floats. */
  private static final long BITS_BEHIND_FLOAT = (1L << 29) - 1;

  private static final long HALFWAY = 1L << 28;

  private NumberParser() {}

  /** Parses a double; empty if {@code text} is malformed. */
  public static OptionalDouble parseDouble(byte[] text) {
    OptionalDouble value = parseShort(text);
    return value.isPresent() ? value : parse(trimmed(text), false);
  }

  /** Parses a float, rounded once, and widens it; empty if {@code text} is malformed. */
  public static OptionalDouble parseFloat(byte[] text) {
    OptionalDouble value = parseShort(text);
    if (value.isPresent() && !isHalfway(value.getAsDouble())) {
      return OptionalDouble.of((float) value.getAsDouble());
    }
    return parse(trimmed(text), true);
  }

  /**
   * Whether {@code value}, which may have been rounded, lies halfway between two floats: the number
   * itself may be nearer to the one that {@code value} would not be rounded to.
   */
  private static boolean isHalfway(double value) {
    return (Double.doubleToRawLongBits(value) & BITS_BEHIND_FLOAT) == HALFWAY;
  }

  /**
   * A number of few digits without exponent, rounded once, for both operands of the division are
   * exact; empty for other text.
   */
  private static OptionalDouble parseShort(byte[] text) {
    int at = start(text);
    int to = end(text, at);
    boolean isNegative = at < to && text[at] == '-';
    if (isNegative || (at < to && text[at] == '+')) {
      at++;
    }
    long digits = 0;
    int count = 0;
    int point = -1;
    for (; at < to; at++) {
      int digit = text[at] - '0';
      if (digit >= 0 && digit <= 9 && count < EXACT_DIGITS) {
        digits = 10 * digits + digit;
        count++;
      } else if (text[at] == '.' && point < 0) {
        point = count;
      } else {
        return OptionalDouble.empty();
      }
    }
    if (count == 0) {
      return OptionalDouble.empty();
    }
    double value = digits / POWERS_OF_TEN[point < 0 ? 0 : count - point];
    return OptionalDouble.of(isNegative ? -value : value);
  }

  private static OptionalDouble parse(String number, boolean single) {
    var hex = HEX.matcher(number);
    if (hex.matches()) {
      return finite(hex.group("exponent") == null ? number + "p0" : number, single);
    }
    return DECIMAL.matcher(number).matches() ? finite(number, single) : word(number);
  }

  private static OptionalDouble finite(String number, boolean single) {
    return OptionalDouble.of(single ? Float.parseFloat(number) : Double.parseDouble(number));
  }

  private static OptionalDouble word(String number) {
    boolean signed = number.startsWith("-") || number.startsWith("+");
    String word = (signed ? number.substring(1) : number).toLowerCase(Locale.ROOT);
    if (word.equals("inf") || word.equals("infinity")) {
      return OptionalDouble.of(
          number.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
    }
    return NAN.matcher(word).matches() ? OptionalDouble.of(Double.NaN) : OptionalDouble.empty();
  }

  /** Parses an integer; empty if {@code text} is malformed or not in [{@code min}, {@code max}]. */
  public static OptionalLong parseLong(byte[] text, long min, long max) {
    try {
      long value = Long.parseLong(trimmed(text));
      return value < min || value > max ? OptionalLong.empty() : OptionalLong.of(value);
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  /** Parses an unsigned 64-bit integer; empty if {@code text} is malformed. */
  public static OptionalLong parseUnsignedLong(byte[] text) {
    try {
      return OptionalLong.of(Long.parseUnsignedLong(trimmed(text)));
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  private static String trimmed(byte[] text) {
    int from = start(text);
    return new String(text, from, end(text, from) - from, ISO_8859_1);
  }

  /** The position of the first byte that is not white space. */
  private static int start(byte[] text) {
    int from = 0;
    while (from < text.length && ByteStrings.isSpace(text[from])) {
      from++;
    }
    return from;
  }

  /** The position after the last byte from {@code from} on that is not white space. */
  private static int end(byte[] text, int from) {
    int to = text.length;
    while (to > from && ByteStrings.isSpace(text[to - 1])) {
      to--;
    }
    return to;
  }
}

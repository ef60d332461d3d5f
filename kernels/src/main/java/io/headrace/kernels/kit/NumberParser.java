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

  private NumberParser() {}

  /** Parses a double; empty if {@code text} is malformed. */
  public static OptionalDouble parseDouble(byte[] text) {
    return parse(trimmed(text), false);
  }

  /** Parses a float, rounded once, and widens it; empty if {@code text} is malformed. */
  public static OptionalDouble parseFloat(byte[] text) {
    return parse(trimmed(text), true);
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
    int from = 0;
    int to = text.length;
    while (from < to && Strings.isSpace(text[from])) {
      from++;
    }
    while (to > from && Strings.isSpace(text[to - 1])) {
      to--;
    }
    return new String(text, from, to - from, ISO_8859_1);
  }
}

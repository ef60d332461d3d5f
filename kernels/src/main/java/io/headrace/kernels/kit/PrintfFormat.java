package io.headrace.kernels.kit;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * One conversion specification of C's printf. Results are correctly rounded (half to even).
 *
 * @param flag {@code -} aligns left, {@code 0} pads with zeros, {@code +} and space print a sign
 *     before positive numbers, {@code #} keeps the decimal point and trailing zeros; 0 for no flag
 * @param width minimum number of characters; -1 for none
 * @param precision number of digits; -1 for the default of six
 * @param conversion {@code f}, {@code e} or {@code g}; applies to {@link #floating} only
 */
public record PrintfFormat(char flag, int width, int precision, char conversion) {
  private static final int DEFAULT_PRECISION = 6;

  /** With {@code g}, numbers with a smaller exponent are printed in scientific notation. */
  private static final int LEAST_PLAIN_EXPONENT = -4;

  /** Formats an integer, given as decimal digits with an optional minus sign. */
  public String integer(String digits) {
    boolean negative = digits.startsWith("-");
    return pad(sign(negative), negative ? digits.substring(1) : digits, true);
  }

  /** Formats an unsigned integer ({@code %u}), given as decimal digits: no flag makes a sign. */
  public String unsigned(String digits) {
    return pad("", digits, true);
  }

  /** Formats a text ({@code %s}). */
  public String text(String text) {
    return pad("", text, false);
  }

  /** Formats a floating-point number. */
  public String floating(double value) {
    boolean negative = (Double.doubleToRawLongBits(value) & Long.MIN_VALUE) != 0;
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return pad(sign(negative), Double.isNaN(value) ? "nan" : "inf", false);
    }
    return pad(sign(negative), digits(new BigDecimal(Math.abs(value))), true);
  }

  private String sign(boolean negative) {
    if (negative) {
      return "-";
    }
    return flag == '+' || flag == ' ' ? String.valueOf(flag) : "";
  }

  private String pad(String sign, String body, boolean zerosAllowed) {
    int missing = Math.max(0, width - sign.length() - body.length());
    if (flag == '-') {
      return sign + body + " ".repeat(missing);
    }
    return flag == '0' && zerosAllowed
        ? sign + "0".repeat(missing) + body
        : " ".repeat(missing) + sign + body;
  }

  private String digits(BigDecimal value) {
    int wanted = precision < 0 ? DEFAULT_PRECISION : precision;
    return switch (conversion) {
      case 'e' -> scientific(value, wanted, true);
      case 'g' -> shortest(value, Math.max(1, wanted));
      default -> plain(value, wanted, true);
    };
  }

  private String plain(BigDecimal value, int decimals, boolean keepZeros) {
    String text = value.setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    return keepZeros ? withPoint(text) : trimmed(text);
  }

  private String scientific(BigDecimal value, int decimals, boolean keepZeros) {
    BigDecimal rounded = round(value, decimals + 1);
    int exponent = exponent(rounded);
    String mantissa =
        rounded.movePointLeft(exponent).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    String digits = Integer.toString(Math.abs(exponent));
    return (keepZeros ? withPoint(mantissa) : trimmed(mantissa))
        + (exponent < 0 ? "e-" : "e+")
        + (digits.length() < 2 ? "0" : "")
        + digits;
  }

  private String shortest(BigDecimal value, int significant) {
    int exponent = exponent(round(value, significant));
    boolean keepZeros = flag == '#';
    return exponent < LEAST_PLAIN_EXPONENT || exponent >= significant
        ? scientific(value, significant - 1, keepZeros)
        : plain(value, significant - 1 - exponent, keepZeros);
  }

  private static BigDecimal round(BigDecimal value, int significant) {
    return value.round(new MathContext(significant, RoundingMode.HALF_EVEN));
  }

  private static int exponent(BigDecimal value) {
    return value.signum() == 0 ? 0 : value.precision() - value.scale() - 1;
  }

  private String withPoint(String text) {
    return flag == '#' && text.indexOf('.') < 0 ? text + "." : text;
  }

  private static String trimmed(String text) {
    if (text.indexOf('.') < 0) {
      return text;
    }
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }
}

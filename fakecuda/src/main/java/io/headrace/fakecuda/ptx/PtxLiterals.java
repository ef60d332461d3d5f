package io.headrace.fakecuda.ptx;

/** The values of literals (PTX ISA, Constants). */
final class PtxLiterals {
  private PtxLiterals() {}

  /** The operand of a literal, with the sign in front of it. */
  static PtxOperand operand(PtxToken token, boolean negative) {
    String text = token.text();
    boolean isHexadecimal = text.startsWith("0x") || text.startsWith("0X");
    if (!isHexadecimal && text.length() == 10 && (text.charAt(1) | 0x20) == 'f') {
      return new PtxOperand.FloatLiteral(bits(text, negative, 1L << 31), PtxType.F32);
    }
    if (!isHexadecimal && text.length() == 18 && (text.charAt(1) | 0x20) == 'd') {
      return new PtxOperand.FloatLiteral(bits(text, negative, 1L << 63), PtxType.F64);
    }
    long value = integer(token);
    return new PtxOperand.IntegerLiteral(negative ? -value : value);
  }

  private static long bits(String text, boolean negative, long sign) {
    long bits = Long.parseUnsignedLong(text.substring(2), 16);
    return negative ? bits ^ sign : bits;
  }

  /** The value of an integer literal without its sign. */
  static long integer(PtxToken token) {
    String text = token.text();
    String digits = text.endsWith("U") ? text.substring(0, text.length() - 1) : text;
    try {
      if (digits.startsWith("0x") || digits.startsWith("0X")) {
        return Long.parseUnsignedLong(digits.substring(2), 16);
      }
      boolean isOctal = digits.length() > 1 && digits.startsWith("0");
      return Long.parseUnsignedLong(digits, isOctal ? 8 : 10);
    } catch (NumberFormatException _) {
      throw new PtxException(token.line(), "not an integer: " + text);
    }
  }
}

package io.headrace.runtime.tensor;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/** Formats single values of tensors by dtype, each on one line. */
public final class TensorValueText {
  private static final int BYTE_MASK = 0xff;

  private TensorValueText() {}

  /** The text of the value at {@code index}. */
  public static String text(Tensor tensor, int index) {
    int at = tensor.offset() + index;
    Object array = tensor.array();
    return switch (tensor.dtype()) {
      case BOOL -> String.valueOf(tensor.bool(index));
      case INT8, QINT8 -> String.valueOf(((byte[]) array)[at]);
      case UINT8, QUINT8 -> String.valueOf(((byte[]) array)[at] & BYTE_MASK);
      case INT16, QINT16 -> String.valueOf(((short[]) array)[at]);
      case UINT16, QUINT16 -> String.valueOf(Short.toUnsignedInt(((short[]) array)[at]));
      case INT32, QINT32 -> String.valueOf(((int[]) array)[at]);
      case UINT32 -> Integer.toUnsignedString(((int[]) array)[at]);
      case INT64 -> String.valueOf(((long[]) array)[at]);
      case UINT64 -> Long.toUnsignedString(((long[]) array)[at]);
      case FLOAT16 -> String.valueOf(Float.float16ToFloat(((short[]) array)[at]));
      case BFLOAT16 -> String.valueOf(Float.intBitsToFloat(((short[]) array)[at] << Short.SIZE));
      case FLOAT32 -> String.valueOf(((float[]) array)[at]);
      case FLOAT64 -> String.valueOf(((double[]) array)[at]);
      case COMPLEX64 -> complex(((float[]) array)[2 * at], ((float[]) array)[2 * at + 1]);
      case COMPLEX128 -> complex(((double[]) array)[2 * at], ((double[]) array)[2 * at + 1]);
      case STRING -> quoted(tensor.string(index));
      case FLOAT8_E5M2,
          FLOAT8_E4M3FN,
          FLOAT8_E4M3FNUZ,
          FLOAT8_E4M3B11FNUZ,
          FLOAT8_E5M2FNUZ,
          FLOAT4_E2M1FN ->
          String.valueOf(Float8.value(tensor.dtype(), ((byte[]) array)[at]));
      case INT4, INT2, UINT4, UINT2 ->
          String.valueOf(smallInteger(tensor.dtype(), ((byte[]) array)[at]));
      case RESOURCE, VARIANT -> "<" + tensor.dtype().tfName() + ">";
    };
  }

  /** The value of {@code bits} in an integer dtype of 4 or 2 bits, whose other bits don't count. */
  static int smallInteger(DataType dtype, byte bits) {
    return switch (dtype) {
      case INT4 -> bits << 28 >> 28;
      case UINT4 -> bits & 0xf;
      case INT2 -> bits << 30 >> 30;
      case UINT2 -> bits & 0x3;
      default -> throw new IllegalArgumentException(dtype.tfName());
    };
  }

  /** The real and imaginary part of the value at {@code index} of a complex tensor. */
  public static double[] complex(Tensor tensor, int index) {
    int at = 2 * (tensor.offset() + index);
    return switch (tensor.array()) {
      case float[] floats -> new double[] {floats[at], floats[at + 1]};
      case double[] doubles -> new double[] {doubles[at], doubles[at + 1]};
      default -> throw new IllegalArgumentException("not complex: " + tensor.dtype());
    };
  }

  private static String complex(float real, float imaginary) {
    return "(" + real + ", " + imaginary + "i)";
  }

  private static String complex(double real, double imaginary) {
    return "(" + real + ", " + imaginary + "i)";
  }

  /**
   * {@code bytes} in quotes: as text if they are UTF-8, with control characters escaped, otherwise
   * with all but ASCII escaped.
   */
  static String quoted(byte[] bytes) {
    boolean isText = isText(bytes);
    StringBuilder text = new StringBuilder("\"");
    new String(bytes, isText ? UTF_8 : ISO_8859_1)
        .codePoints()
        .forEach(c -> text.append(isText ? textCharacter(c) : byteCharacter(c)));
    return text.append('"').toString();
  }

  private static String textCharacter(int c) {
    if (Character.isISOControl(c)) {
      return "\\u%04x".formatted(c);
    }
    return c == '"' || c == '\\' ? "\\" + (char) c : Character.toString(c);
  }

  private static String byteCharacter(int c) {
    boolean plain = c >= ' ' && c < 127 && c != '"' && c != '\\';
    return plain ? Character.toString(c) : "\\x%02x".formatted(c);
  }

  private static boolean isText(byte[] bytes) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException _) {
      return false;
    }
  }
}

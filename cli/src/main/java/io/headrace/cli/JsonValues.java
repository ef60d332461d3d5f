package io.headrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Float8;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;

/**
 * Sets the values of a tensor from JSON; fails with an IllegalArgumentException that contains the
 * offending value.
 *
 * @param dtype the tensor's dtype
 * @param array the tensor's array
 */
record JsonValues(DataType dtype, Object array) {
  private static final String BASE64 = "b64";

  void set(int index, JsonElement value) {
    switch (array) {
      case byte[][] a -> a[index] = bytes(value);
      case float[] a when dtype == DataType.COMPLEX64 -> {
        a[2 * index] = (float) part(value, 0);
        a[2 * index + 1] = (float) part(value, 1);
      }
      case double[] a when dtype == DataType.COMPLEX128 -> {
        a[2 * index] = part(value, 0);
        a[2 * index + 1] = part(value, 1);
      }
      case float[] a -> a[index] = (float) floating(value);
      case double[] a -> a[index] = floating(value);
      case short[] a when dtype.isFloating() -> a[index] = half((float) floating(value));
      case byte[] a when dtype == DataType.BOOL -> a[index] = (byte) (bool(value) ? 1 : 0);
      case byte[] a -> a[index] = ofByte(value);
      case short[] a -> a[index] = (short) integer(value, Short.SIZE);
      case int[] a -> a[index] = (int) integer(value, Integer.SIZE);
      case long[] a -> a[index] = integer(value, Long.SIZE);
      default -> throw notFed();
    }
  }

  private static IllegalArgumentException notFed() {
    return new IllegalArgumentException("no value of this dtype can be fed");
  }

  private byte ofByte(JsonElement value) {
    return switch (dtype) {
      case FLOAT8_E5M2 -> Float8.toE5m2((float) floating(value));
      case FLOAT8_E4M3FN -> Float8.toE4m3fn((float) floating(value));
      case FLOAT8_E4M3FNUZ, FLOAT8_E4M3B11FNUZ, FLOAT8_E5M2FNUZ, FLOAT4_E2M1FN -> throw notFed();
      case INT4, UINT4 -> (byte) (integer(value, 4) & 0xf);
      case INT2, UINT2 -> (byte) (integer(value, 2) & 0x3);
      default -> (byte) integer(value, Byte.SIZE);
    };
  }

  private static byte[] bytes(JsonElement value) {
    if (value instanceof JsonObject object && object.has(BASE64) && object.size() == 1) {
      return Base64.getDecoder().decode(object.get(BASE64).getAsString());
    }
    if (value instanceof JsonPrimitive text && text.isString()) {
      return text.getAsString().getBytes(UTF_8);
    }
    throw invalid(value);
  }

  private static boolean bool(JsonElement value) {
    if (value instanceof JsonPrimitive bool && bool.isBoolean()) {
      return bool.getAsBoolean();
    }
    throw invalid(value);
  }

  private static double part(JsonElement value, int index) {
    if (value instanceof JsonArray parts && parts.size() == 2) {
      return floating(parts.get(index));
    }
    throw invalid(value);
  }

  private static double floating(JsonElement value) {
    if (value instanceof JsonPrimitive number && !number.isBoolean()) {
      return number.getAsDouble();
    }
    throw invalid(value);
  }

  private long integer(JsonElement value, int bits) {
    if (!(value instanceof JsonPrimitive number) || !number.isNumber()) {
      throw invalid(value);
    }
    BigInteger integer = number.getAsBigDecimal().toBigIntegerExact();
    boolean fits =
        dtype.isUnsigned()
            ? integer.signum() >= 0 && integer.bitLength() <= bits
            : integer.bitLength() < bits;
    if (!fits) {
      throw invalid(value);
    }
    return integer.longValue();
  }

  private static IllegalArgumentException invalid(JsonElement value) {
    return new IllegalArgumentException(String.valueOf(value));
  }

  /** The bits of a float16 or bfloat16, rounded to the nearest, ties to even. */
  private short half(float value) {
    if (dtype == DataType.FLOAT16) {
      return Float.floatToFloat16(value);
    }
    int bits = Float.floatToRawIntBits(value);
    return Float.isNaN(value)
        ? (short) ((bits >>> Short.SIZE) | 0x40)
        : (short) ((bits + 0x7fff + ((bits >>> Short.SIZE) & 1)) >>> Short.SIZE);
  }

  /** A string if {@code bytes} are UTF-8, otherwise base 64. */
  static JsonElement ofBytes(byte[] bytes) {
    try {
      return new JsonPrimitive(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException _) {
      JsonObject binary = new JsonObject();
      binary.addProperty(BASE64, Base64.getEncoder().encodeToString(bytes));
      return binary;
    }
  }

  /** The number in {@code text}; a string if it is not finite. */
  static JsonElement ofNumber(String text) {
    double number = Double.parseDouble(text);
    return Double.isFinite(number) ? new JsonPrimitive(number) : new JsonPrimitive(text);
  }
}

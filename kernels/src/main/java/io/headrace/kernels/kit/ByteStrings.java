package io.headrace.kernels.kit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * Helpers for kernels of string tensors. A string is a byte array without an encoding, unless the
 * op defines one.
 */
public final class ByteStrings {
  public static final byte[] EMPTY = new byte[0];

  private ByteStrings() {}

  /** Applies {@code map} to each element of {@code input}. */
  public static Tensor map(Tensor input, UnaryOperator<byte[]> map) {
    byte[][] result = allocate(input.shape());
    for (int i = 0; i < result.length; i++) {
      result[i] = map.apply(input.string(i));
    }
    return Tensor.wrap(DataType.STRING, input.shape(), result);
  }

  /** An array for a string tensor of {@code shape}. */
  public static byte[][] allocate(Shape shape) {
    return (byte[][]) TensorLimit.allocate(DataType.STRING, shape);
  }

  /** The bytes of a string attr. */
  public static byte[] attr(Attrs attrs, String name) {
    attrs.string(name); // fails if the attr is not a string
    return attrs.raw(name).getS().toByteArray();
  }

  /** {@code text} in UTF-8. */
  public static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  /** {@code bytes} decoded as UTF-8, for messages. */
  public static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  /** {@code begin} followed by {@code end}. */
  static byte[] joined(byte[] begin, byte[] end) {
    byte[] joined = Arrays.copyOf(begin, begin.length + end.length);
    System.arraycopy(end, 0, joined, begin.length, end.length);
    return joined;
  }

  /** Whether {@code b} is a UTF-8 continuation byte. */
  public static boolean isTrailByte(byte b) {
    return (b & 0xC0) == 0x80;
  }

  /** Whether {@code b} is ASCII white space. */
  public static boolean isSpace(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }

  /** The element of a scalar input; INVALID_ARGUMENT, with its {@code name}, for other shapes. */
  public static byte[] scalar(Tensor scalar, String name) {
    if (scalar.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "%s must be scalar, but received %s", name, scalar.shape());
    }
    return scalar.string(0);
  }

  /** The first index of {@code part} in {@code text}, searched from {@code from} on, or -1. */
  public static int indexOf(byte[] text, byte[] part, int from) {
    for (int i = from; i <= text.length - part.length; i++) {
      int j = 0;
      while (j < part.length && text[i + j] == part[j]) {
        j++;
      }
      if (j == part.length) {
        return i;
      }
    }
    return -1;
  }
}

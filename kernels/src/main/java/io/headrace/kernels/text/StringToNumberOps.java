package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.NumberParser;
import io.headrace.kernels.kit.PerElement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** StringToNumber, and the parser of numbers that DecodeCSV and text file tables share with it. */
public final class StringToNumberOps {
  private static final long UINT32_MAX = 0xFFFFFFFFL;

  private StringToNumberOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StringToNumber(string_tensor: string) -> output: out_type")
            .attrs("out_type: {float, double, int32, int64, uint32, uint64} = float")
            .shape(ShapeFunctions.SAME)
            .kernel(node -> {
              DataType dtype = node.attrs().type("out_type");
              return new PerElement(input -> convert(input, dtype));
            }));
  }

  private static Tensor convert(Tensor input, DataType dtype) {
    Object array = TensorLimit.allocate(dtype, input.shape());
    for (int i = 0; i < input.elements(); i++) {
      byte[] text = input.string(i);
      if (!parse(text, dtype, array, i)) {
        throw StatusException.invalidArgument(
            "StringToNumberOp could not correctly convert string: %s", ByteStrings.text(text));
      }
    }
    return Tensor.wrap(dtype, input.shape(), array);
  }

  /**
   * Parses {@code text} into element {@code at} of {@code array}, an array of {@code dtype} (float,
   * double, int32, int64, uint32 or uint64); false if it is not a number of {@code dtype}.
   */
  public static boolean parse(byte[] text, DataType dtype, Object array, int at) {
    return switch (array) {
      case float[] a -> {
        OptionalDouble value = NumberParser.parseFloat(text);
        value.ifPresent(v -> a[at] = (float) v);
        yield value.isPresent();
      }
      case double[] a -> {
        OptionalDouble value = NumberParser.parseDouble(text);
        value.ifPresent(v -> a[at] = v);
        yield value.isPresent();
      }
      case int[] a -> {
        boolean unsigned = dtype == DataType.UINT32;
        OptionalLong value =
            NumberParser.parseLong(
                text, unsigned ? 0 : Integer.MIN_VALUE, unsigned ? UINT32_MAX : Integer.MAX_VALUE);
        value.ifPresent(v -> a[at] = (int) v);
        yield value.isPresent() && !(unsigned && hasMinus(text));
      }
      case long[] a -> {
        OptionalLong value =
            dtype == DataType.UINT64
                ? NumberParser.parseUnsignedLong(text)
                : NumberParser.parseLong(text, Long.MIN_VALUE, Long.MAX_VALUE);
        value.ifPresent(v -> a[at] = v);
        yield value.isPresent();
      }
      default -> throw new AssertionError(dtype);
    };
  }

  private static boolean hasMinus(byte[] text) {
    return ByteStrings.indexOf(text, new byte[] {'-'}, 0) >= 0;
  }
}

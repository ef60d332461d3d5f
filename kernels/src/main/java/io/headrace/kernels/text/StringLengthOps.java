package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.PerElement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;
import java.util.function.UnaryOperator;

/** StringLength: the length of each string in bytes or in UTF-8 characters, int32. */
final class StringLengthOps {
  private StringLengthOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StringLength(input: string) -> output: int32")
            .attrs("unit: string = \"BYTE\"")
            .shape(ShapeFunctions.SAME)
            .kernel(node -> new PerElement(lengths(CharUnit.of(node.attrs())))));
  }

  private static UnaryOperator<Tensor> lengths(CharUnit unit) {
    return input -> {
      int[] lengths = (int[]) TensorLimit.allocate(DataType.INT32, input.shape());
      for (int i = 0; i < lengths.length; i++) {
        byte[] string = input.string(i);
        lengths[i] = unit == CharUnit.UTF8_CHAR ? characters(string) : string.length;
      }
      return Tensor.wrap(DataType.INT32, input.shape(), lengths);
    };
  }

  private static int characters(byte[] utf8) {
    int count = 0;
    for (byte b : utf8) {
      count += ByteStrings.isTrailByte(b) ? 0 : 1;
    }
    return count;
  }
}

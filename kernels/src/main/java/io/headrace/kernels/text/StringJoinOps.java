package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** StringJoin: joins the strings of several tensors element by element. */
final class StringJoinOps {
  private StringJoinOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StringJoin(inputs: N * string) -> output: string")
            .attrs("N: int", "separator: string = \"\"")
            .shape(StringJoinOps::infer)
            .kernel(node -> new Join(ByteStrings.attr(node.attrs(), "separator"))));
  }

  private static List<Shape> infer(ShapeFunction.Inputs inputs) {
    Shape result = Shape.SCALAR;
    for (int i = 0; i < inputs.count(); i++) {
      Shape shape = inputs.shape(i);
      if (shape.isUnknownRank()) {
        return List.of(Shape.UNKNOWN);
      }
      result = result.rank() == 0 ? shape : result;
    }
    return List.of(result);
  }

  private static final class Join implements Kernel.Sync {
    private final byte[] separator;

    Join(byte[] separator) {
      this.separator = separator;
    }

    @Override
    public void compute(KernelCall call) {
      Shape shape = Shape.SCALAR;
      for (int i = 0; i < call.inputs(); i++) {
        shape = merge(shape, call.input(i).shape());
      }
      byte[][] result = ByteStrings.allocate(shape);
      byte[][] parts = new byte[call.inputs()][];
      for (int i = 0; i < result.length; i++) {
        for (int j = 0; j < parts.length; j++) {
          Tensor input = call.input(j);
          parts[j] = input.string(input.shape().rank() == 0 ? 0 : i);
        }
        result[i] = join(List.of(parts), separator);
      }
      call.setOutput(0, Tensor.wrap(DataType.STRING, shape, result));
    }

    private static Shape merge(Shape shape, Shape input) {
      if (shape.rank() > 0 && input.rank() > 0 && !shape.equals(input)) {
        throw StatusException.invalidArgument("Input shapes do not match: %s vs. %s", shape, input);
      }
      return shape.rank() == 0 ? input : shape;
    }

    @Override
    public boolean computeRows(RowsCall call) {
      for (int i = 0; i < call.inputs(); i++) {
        if (!call.isRows(i) && call.input(i).shape().rank() > 0) {
          return false;
        }
      }
      compute(call); // throws if the shapes of the inputs do not match
      return true;
    }
  }

  static byte[] join(List<byte[]> parts, byte[] separator) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < parts.size(); i++) {
      if (i > 0) {
        out.writeBytes(separator);
      }
      out.writeBytes(parts.get(i));
    }
    return out.toByteArray();
  }
}

package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorContent;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Bitcast: reinterprets the bits of a tensor as another dtype. */
final class BitcastOps {
  private static final String FIXED_WIDTH = "{number, qint8, quint8, qint16, quint16, qint32}";

  private BitcastOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Bitcast(input: T) -> output: type")
            .attrs("T: " + FIXED_WIDTH, "type: " + FIXED_WIDTH)
            .shape(BitcastOps::bitcastRule)
            .kernel(RowKernel.made(BitcastOps::bitcast)));
  }

  private static RowKernel.Body bitcast(NodeSpec node) {
    DataType from = node.inputTypes().getFirst();
    DataType to = node.outputTypes().getFirst();
    return rows -> {
      Shape shape = shape(rows.shape(0), from, to);
      rows.set(0, reinterpreted(rows.all(0), to, rows.withRows(shape)));
      return true;
    };
  }

  private static Tensor reinterpreted(Tensor input, DataType to, Shape shape) {
    if (input.dtype().kind() == to.kind()) {
      return input.bitcastWithinKind(to);
    }
    byte[] bytes = new byte[Math.multiplyExact(input.elements(), input.dtype().byteSize())];
    MemorySegment segment = MemorySegment.ofArray(bytes);
    int slots = input.dtype().kind().slots();
    TensorContent.writeNumbers(
        TensorMemory.array(input),
        TensorMemory.offset(input) * slots,
        input.elements() * slots,
        segment,
        0);
    Object array = TensorLimit.allocate(to, shape);
    TensorContent.readNumbers(segment, 0, array);
    return Tensor.wrap(to, shape, array);
  }

  /**
   * The output shape. If {@code from} is larger than {@code to}, a last dimension of their ratio is
   * added; if it is smaller, the last dimension must be the ratio and is removed.
   */
  private static Shape shape(Shape shape, DataType from, DataType to) {
    int fromBytes = from.byteSize();
    int toBytes = to.byteSize();
    if (fromBytes == toBytes || shape.isUnknownRank()) {
      return shape;
    }
    if (fromBytes > toBytes) {
      return Shapes.concat(shape, Shape.of(fromBytes / toBytes));
    }
    int last = shape.rank() - 1;
    boolean fits = last >= 0 && (shape.size(last) < 0 || shape.size(last) == toBytes / fromBytes);
    if (!fits) {
      throw invalidArgument(
          "Cannot bitcast from %d to %d: a tensor %s%s to %s",
          from.number(), to.number(), from.tfName(), shape, to.tfName());
    }
    return shape.sub(0, last);
  }

  private static List<Shape> bitcastRule(ShapeFunction.Inputs in) {
    return List.of(shape(in.shape(0), in.attrs().type("T"), in.attrs().type("type")));
  }
}

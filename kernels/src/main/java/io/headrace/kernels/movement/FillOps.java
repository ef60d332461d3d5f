package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** Fill: a tensor of one repeated value. */
public final class FillOps {
  private FillOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Fill(dims: index_type, value: T) -> output: T")
            .attrs("T: type", "index_type: {int32, int64} = int32")
            .shape(in -> List.of(Shapes.fromSizes(in, 0)))
            .kernel(RowKernel.of(FillOps::fill)));
  }

  private static boolean fill(Rows rows) {
    Tensor dims = rows.same(0);
    if (dims == null) {
      return false;
    }
    if (dims.shape().rank() > 1) {
      throw invalidArgument("dims must represent a vector, got shape %s", dims.shape());
    }
    if (rows.shape(1).elements() != 1 || rows.shape(1).rank() > 1) {
      throw invalidArgument("value must represent a scalar, got shape %s", rows.shape(1));
    }
    Shape shape = ShapeInputs.shape(dims.reshape(Shape.of(dims.elements())));
    Object array = rows.allocate(rows.dtype(1), shape);
    repeat(rows, 1, shape, array);
    rows.set(0, rows.dtype(1), shape, array);
    return true;
  }

  /** Fills {@code array}, whose rows have {@code shape}, with the scalar input {@code input}. */
  public static void repeat(Rows rows, int input, Shape shape, Object array) {
    Tensor value = rows.all(input);
    new StridedMove(value.dtype().kind())
        .dimension(rows.count(), rows.stride(input), shape.elements())
        .dimension(shape.elements(), 0, 1)
        .run(TensorMemory.array(value), TensorMemory.offset(value), array, 0, rows.cancellation());
  }
}

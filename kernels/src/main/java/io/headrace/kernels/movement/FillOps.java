package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fill: a tensor of one repeated value. */
public final class FillOps {
  private FillOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Fill(dims: index_type, value: T) -> output: T")
            .attrs("T: type", "index_type: {int32, int64} = int32")
            .shape(in -> List.of(Shapes.fromSizes(in, 0)))
            .runsOnGpu("dims")
            .kernel(MoveKernel.of(FillOps::fill)));
  }

  private static @Nullable List<Movement> fill(Rows rows) {
    Tensor dims = rows.same(0);
    if (dims == null) {
      return null;
    }
    if (dims.shape().rank() > 1) {
      throw invalidArgument("dims must represent a vector, got shape %s", dims.shape());
    }
    if (rows.shape(1).elements() != 1 || rows.shape(1).rank() > 1) {
      throw invalidArgument("value must represent a scalar, got shape %s", rows.shape(1));
    }
    Shape shape = ShapeInputs.shape(dims.reshape(Shape.of(dims.elements())));
    return new OutputMoves(rows, rows.dtype(1), shape).fill(1).only();
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

package io.headrace.kernels.elementwise;

import io.headrace.kernels.kit.ReductionAxes;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.BitSet;
import java.util.List;

/** ArgMax and ArgMin: the index of the largest or smallest element along a dimension. */
final class ArgMaxOps {
  static final List<Op> OPS =
      List.of(
          Op.define("ArgMax(input: T, dimension: Tidx) -> output: output_type")
              .attrs(
                  "T: {real, bool}",
                  "Tidx: {int16, int32, int64} = int32",
                  "output_type: {int16, uint16, int32, int64} = int64")
              .shape(ArgMaxOps::shape)
              .runsOnGpu("dimension")
              .kernel(RowKernel.made(node -> body(node, true))),
          Op.define("ArgMin(input: T, dimension: Tidx) -> output: output_type")
              .attrs(
                  "T: {real, bool}",
                  "Tidx: {int32, int64} = int32",
                  "output_type: {int32, int64} = int64")
              .shape(ArgMaxOps::shape)
              .runsOnGpu("dimension")
              .kernel(RowKernel.made(node -> body(node, false))));

  private ArgMaxOps() {}

  private static List<Shape> shape(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    if (shape.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    Tensor dimension = in.constant(1);
    if (dimension != null) {
      return List.of(ReductionAxes.reduced(shape, axis(dimension, shape), false));
    }
    return List.of(shape.rank() == 0 ? Shape.SCALAR : Shapes.ofRank(shape.rank() - 1));
  }

  /** The dimension; TensorFlow reads the low 32 bits of an int64. */
  private static int value(Tensor dimension) {
    return (int) dimension.integer(0);
  }

  private static BitSet axis(Tensor dimension, Shape shape) {
    if (dimension.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "dim must be a scalar, but received tensor of shape: %s", dimension.shape());
    }
    int index = value(dimension);
    if (index < -shape.rank() || index >= shape.rank()) {
      throw StatusException.invalidArgument(
          "Expected dimension in the range [%d, %d), but got %d",
          -shape.rank(), shape.rank(), index);
    }
    BitSet axis = new BitSet();
    axis.set(index < 0 ? index + shape.rank() : index);
    return axis;
  }

  private static RowKernel.Body body(NodeSpec node, boolean largest) {
    DataType output = node.outputTypes().getFirst();
    return rows -> run(rows, output, largest);
  }

  private static boolean run(Rows rows, DataType output, boolean largest) {
    Tensor dimension = rows.same(1);
    if (dimension == null) {
      return false;
    }
    Shape shape = rows.shape(0);
    BitSet axis = axis(dimension, shape);
    Shape result = ReductionAxes.reduced(shape, axis, false);
    int at = axis.nextSetBit(0);
    if (shape.size(at) == 0) {
      throw StatusException.invalidArgument("Reduction axis %d is empty in shape %s", at, shape);
    }
    Tensor input = rows.all(0);
    Object array =
        ArgMaxSearch.of(input, at + (rows.varies(0) ? 1 : 0), output, largest, rows.cancellation());
    if (rows.varies(0)) {
      rows.set(0, output, result, array);
    } else {
      rows.setSame(0, Tensor.wrap(output, result, array));
    }
    return true;
  }
}

package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.OptionalLong;

/** OneHot: for each index, a vector with {@code on_value} there and {@code off_value} elsewhere. */
final class OneHotOps {
  private OneHotOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("OneHot(indices: TI, depth: int32, on_value: T, off_value: T) -> output: T")
            .attrs("axis: int = -1", "T: type", "TI: {uint8, int8, int32, int64} = int64")
            .shape(OneHotOps::oneHotRule)
            .runsOnGpu("depth")
            .kernel(RowKernel.made(OneHotOps::oneHot)));
  }

  private static RowKernel.Body oneHot(NodeSpec node) {
    long axisAttr = node.attrs().integer("axis");
    return rows -> {
      Tensor depth = rows.same(1);
      if (depth == null) {
        return false;
      }
      Shape indices = rows.shape(0);
      checkScalar("depth", depth.shape());
      checkScalar("on_value", rows.shape(2));
      checkScalar("off_value", rows.shape(3));
      int axis = oneHotAxis(axisAttr, indices.rank());
      if (depth.integer(0) < 0) {
        throw invalidArgument("depth must be non-negative, got: %d", depth.integer(0));
      }
      Shape result = inserted(indices, axis, depth.integer(0));
      Object array = rows.allocate(rows.dtype(2), result);
      FillOps.repeat(rows, 3, result, array);
      for (int row = 0; row < rows.count(); row++) {
        setOn(rows, row, result, axis, array);
      }
      rows.set(0, rows.dtype(2), result, array);
      return true;
    };
  }

  private static void checkScalar(String name, Shape shape) {
    if (shape.rank() != 0) {
      throw invalidArgument("%s must be a scalar, but got: %s", name, shape);
    }
  }

  private static int oneHotAxis(long axis, int rank) {
    if (axis < -1 || axis > rank) {
      throw invalidArgument(
          "Expected axis to be -1 or between [0, %d).  But received: %d", rank + 1, axis);
    }
    return (int) (axis < 0 ? rank : axis);
  }

  private static Shape inserted(Shape shape, int axis, long size) {
    return Shapes.concat(shape.sub(0, axis), shape.sub(axis, shape.rank()).prepend(size));
  }

  private static void setOn(Rows rows, int row, Shape result, int axis, Object array) {
    Tensor indices = rows.row(0, row);
    Tensor on = rows.row(2, row);
    DataType indexType = indices.dtype();
    ElementKind kind = on.dtype().kind();
    int suffix = result.dropFirst(axis + 1).elements();
    int depth = (int) result.size(axis);
    int first = row * result.elements();
    for (int i = 0; i < indices.elements(); i++) {
      long index =
          NumericElements.integer(
              indexType, TensorMemory.array(indices), TensorMemory.offset(indices) + i);
      if (index >= 0 && index < depth) {
        int prefix = i / suffix;
        int at = (prefix * depth + (int) index) * suffix + i % suffix;
        kind.copy(TensorMemory.array(on), TensorMemory.offset(on), array, first + at, 1);
      }
    }
  }

  private static List<Shape> oneHotRule(ShapeFunction.Inputs in) {
    Shape indices = in.shape(0);
    OptionalLong depth = Shapes.constantScalar(in, 1);
    if (indices.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    int axis = oneHotAxis(in.attrs().integer("axis"), indices.rank());
    return List.of(inserted(indices, axis, depth.orElse(Shape.UNKNOWN_DIMENSION)));
  }
}

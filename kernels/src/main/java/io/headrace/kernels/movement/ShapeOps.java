package io.headrace.kernels.movement;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Shape, ShapeN, Size and Rank: the shape of a tensor, its number of elements and its rank. */
final class ShapeOps {
  private ShapeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Shape(input: T) -> output: out_type")
            .attrs("T: type", "out_type: {int32, int64} = int32")
            .shape(in -> List.of(rankVector(in.shape(0))))
            .runsOnHost()
            .kernel(RowKernel.made(ShapeOps::shapes)),
        Op.define("ShapeN(input: N * T) -> (output: N * out_type)")
            .attrs("N: int", "T: type", "out_type: {int32, int64} = int32")
            .shape(ShapeOps::rankVectors)
            .runsOnHost()
            .kernel(RowKernel.made(ShapeOps::shapes)),
        Op.define("Size(input: T) -> output: out_type")
            .attrs("T: type", "out_type: {int32, int64} = int32")
            .shape(ShapeFunctions.SCALAR)
            .runsOnHost()
            .kernel(RowKernel.made(ShapeOps::size)),
        Op.define("Rank(input: T) -> output: int32")
            .attrs("T: type")
            .shape(ShapeFunctions.SCALAR)
            .runsOnHost()
            .kernel(RowKernel.of(ShapeOps::rank)));
  }

  private static Shape rankVector(Shape shape) {
    return Shape.of(shape.rank());
  }

  private static List<Shape> rankVectors(ShapeFunction.Inputs in) {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < in.count(); i++) {
      shapes.add(rankVector(in.shape(i)));
    }
    return shapes;
  }

  private static RowKernel.Body shapes(NodeSpec node) {
    DataType type = node.outputTypes().getFirst();
    return rows -> {
      for (int i = 0; i < rows.inputs(); i++) {
        rows.setSame(i, IntegerTensors.vector(type, rows.shape(i).dimensions()));
      }
      return true;
    };
  }

  private static RowKernel.Body size(NodeSpec node) {
    DataType type = node.outputTypes().getFirst();
    return rows -> {
      rows.setSame(0, IntegerTensors.scalar(type, rows.shape(0).elements()));
      return true;
    };
  }

  private static boolean rank(Rows rows) {
    rows.setSame(0, Tensor.scalar(rows.shape(0).rank()));
    return true;
  }
}

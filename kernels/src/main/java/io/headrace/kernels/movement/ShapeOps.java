package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Ops that tell shapes, and compute with them. */
final class ShapeOps {
  private ShapeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Shape(input: T) -> output: out_type")
            .attrs("T: type", "out_type: {int32, int64} = int32")
            .shape(in -> List.of(rankVector(in.shape(0))))
            .kernel(RowKernel.made(ShapeOps::shapes)),
        Op.define("ShapeN(input: N * T) -> (output: N * out_type)")
            .attrs("N: int", "T: type", "out_type: {int32, int64} = int32")
            .shape(ShapeOps::rankVectors)
            .kernel(RowKernel.made(ShapeOps::shapes)),
        Op.define("Size(input: T) -> output: out_type")
            .attrs("T: type", "out_type: {int32, int64} = int32")
            .shape(ShapeRules.SCALAR)
            .kernel(RowKernel.made(ShapeOps::size)),
        Op.define("Rank(input: T) -> output: int32")
            .attrs("T: type")
            .shape(ShapeRules.SCALAR)
            .kernel(RowKernel.of(ShapeOps::rank)),
        Op.define("BroadcastArgs(s0: T, s1: T) -> r0: T")
            .attrs("T: {int32, int64} = int32")
            .shape(ShapeOps::broadcastArgsRule)
            .kernel(RowKernel.of(ShapeOps::broadcastArgs)),
        Op.define("InvertPermutation(x: T) -> y: T")
            .attrs("T: {int32, int64} = int32")
            .shape(in -> List.of(Shapes.withRank(in.shape(0), 1)))
            .kernel(RowKernel.of(ShapeOps::invertPermutation)));
  }

  private static Shape rankVector(Shape shape) {
    return Shape.of(shape.rank());
  }

  private static List<Shape> rankVectors(ShapeRule.Inputs in) {
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

  private static List<Shape> broadcastArgsRule(ShapeRule.Inputs in) {
    Shape a = Shapes.withRank(in.shape(0), 1);
    Shape b = Shapes.withRank(in.shape(1), 1);
    return List.of(
        a.isKnown() && b.isKnown()
            ? Shape.of(Math.max(a.size(0), b.size(0)))
            : Shape.of(Shape.UNKNOWN_DIMENSION));
  }

  private static boolean broadcastArgs(Rows rows) {
    Tensor a = rows.same(0);
    Tensor b = rows.same(1);
    if (a == null || b == null) {
      return false;
    }
    for (int i = 0; i < 2; i++) {
      if (rows.shape(i).rank() != 1) {
        throw invalidArgument("In[%d] must be a vector.%s", i, rows.shape(i));
      }
    }
    Shape shape = ShapeRules.broadcast(Shape.of(a.integers()), Shape.of(b.integers()));
    rows.setSame(0, IntegerTensors.vector(a.dtype(), shape.dimensions()));
    return true;
  }

  private static boolean invertPermutation(Rows rows) {
    Tensor permutation = rows.same(0);
    if (permutation == null) {
      return false;
    }
    if (permutation.shape().rank() != 1) {
      throw invalidArgument("invert_permutation expects a 1D vector.");
    }
    rows.setSame(0, IntegerTensors.vector(permutation.dtype(), inverse(permutation.integers())));
    return true;
  }

  private static long[] inverse(long[] permutation) {
    int size = permutation.length;
    long[] inverse = LongStream.generate(() -> -1).limit(size).toArray();
    for (int i = 0; i < size; i++) {
      long to = permutation[i];
      if (to < 0 || to >= size) {
        throw invalidArgument("%d is not between 0 and %d", to, size);
      }
      if (inverse[(int) to] >= 0) {
        throw invalidArgument("%d is duplicated in the input.", to);
      }
      inverse[(int) to] = i;
    }
    return inverse;
  }
}

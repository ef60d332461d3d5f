package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedMove;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** ListDiff: the elements of a vector that do not occur in another, and their indices. */
final class ListDiffOps {
  private ListDiffOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ListDiff(x: T, y: T) -> (out: T, idx: out_idx)")
            .attrs("T: {real, string}", "out_idx: {int32, int64} = int32")
            .shape(ListDiffOps::listDiffRule)
            .kernel(RowKernel.made(ListDiffOps::listDiff)));
  }

  private static List<Shape> listDiffRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 1);
    Shapes.withRank(in.shape(1), 1);
    Shape unknown = Shape.of(Shape.UNKNOWN_DIMENSION);
    return List.of(unknown, unknown);
  }

  private static RowKernel.Body listDiff(NodeSpec node) {
    DataType indexType = node.outputTypes().get(1);
    return rows -> {
      if (rows.isMany()) {
        return false;
      }
      listDiff(rows, indexType);
      return true;
    };
  }

  private static void listDiff(Rows rows, DataType indexType) {
    Tensor x = rows.all(0);
    Tensor y = rows.all(1);
    checkVector("x", x);
    checkVector("y", y);
    Set<Object> removed = new HashSet<>();
    for (int i = 0; i < y.elements(); i++) {
      removed.add(UniqueOps.key(y, i));
    }
    int[] kept = new int[x.elements()];
    int count = 0;
    for (int i = 0; i < kept.length; i++) {
      if (!removed.contains(UniqueOps.key(x, i))) {
        kept[count++] = i;
      }
    }
    setPicked(rows, 0, x, kept, count);
    long[] indices = Arrays.stream(kept, 0, count).asLongStream().toArray();
    rows.set(1, IntegerTensors.vector(indexType, indices));
  }

  /** Sets an output to elements of {@code x}: those at the first {@code count} indices. */
  private static void setPicked(Rows rows, int output, Tensor x, int[] indices, int count) {
    Shape shape = Shape.of(count);
    Object picked = rows.allocate(x.dtype(), shape);
    IndexedMove.gather(
        x.dtype().kind(),
        TensorMemory.array(x),
        TensorMemory.offset(x),
        1,
        Arrays.copyOf(indices, count),
        picked,
        0);
    rows.set(output, x.dtype(), shape, picked);
  }

  private static void checkVector(String name, Tensor tensor) {
    if (tensor.shape().rank() != 1) {
      throw invalidArgument("%s should be a 1D vector.", name);
    }
  }
}

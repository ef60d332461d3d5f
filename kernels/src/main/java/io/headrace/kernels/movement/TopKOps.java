package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedMove;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/** TopKV2: the k largest elements along the last dimension, and their indices. */
final class TopKOps {
  private TopKOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("TopKV2(input: T, k: Tk) -> (values: T, indices: index_type)")
            .attrs(
                "sorted: bool = true",
                "T: real",
                "Tk: {int32, int64} = int32",
                "index_type: {int32, int64} = int32")
            .shape(TopKOps::rule)
            .kernel(RowKernel.made(node -> rows -> topK(rows, node.outputTypes().get(1)))));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    OptionalLong k = Shapes.constantScalar(in, 1);
    Shapes.checkRankAtLeast(shape, 1);
    Shapes.checkRankAtMost(in.shape(1), 0);
    if (shape.isUnknownRank()) {
      return List.of(shape, shape);
    }
    Shape result = Shapes.withSize(shape, shape.rank() - 1, k.orElse(Shape.UNKNOWN_DIMENSION));
    return List.of(result, result);
  }

  private static boolean topK(Rows rows, DataType indexType) {
    Tensor k = rows.same(1);
    if (k == null) {
      return false;
    }
    Shape shape = rows.shape(0);
    int count = check(k, shape);
    int width = (int) shape.size(shape.rank() - 1);
    Shape result = Shapes.withSize(shape, shape.rank() - 1, count);
    Object values = rows.allocate(rows.dtype(0), result);
    Object indices = rows.allocate(indexType, result);
    int lines = shape.sub(0, shape.rank() - 1).elements();
    for (int line = 0; line < lines * rows.count() && count > 0; line++) {
      rows.cancellation().check();
      Tensor input = rows.row(0, line / lines);
      int from = TensorMemory.offset(input) + line % lines * width;
      int[] top = top(input, from, width, count);
      int to = line * count;
      IndexedMove.gather(input.dtype().kind(), TensorMemory.array(input), from, 1, top, values, to);
      for (int i = 0; i < count; i++) {
        NumericElements.setInteger(indices, to + i, top[i]);
      }
    }
    rows.set(0, rows.dtype(0), result, values);
    rows.set(1, indexType, result, indices);
    return true;
  }

  private static int check(Tensor k, Shape shape) {
    if (k.shape().rank() != 0) {
      throw invalidArgument("k must be scalar, got shape %s", k.shape());
    }
    long count = k.integer(0);
    if (count < 0) {
      throw invalidArgument("Need k >= 0, got %d", count);
    }
    if (shape.rank() < 1) {
      throw invalidArgument("input must be >= 1-D, got shape %s", shape);
    }
    long width = shape.size(shape.rank() - 1);
    if (width < count) {
      throw invalidArgument("input must have at least k columns. Had %d, needed %d", width, count);
    }
    return (int) count;
  }

  /** The indices of the largest elements in descending order; ties go to the lower index. */
  static int[] top(Tensor input, int from, int width, int count) {
    // The head of the queue is the next to drop: the smallest, and of equal ones the last.
    PriorityQueue<Integer> kept =
        new PriorityQueue<>(
            count + 1, (a, b) -> -order(input, from + a, from + b, Integer.compare(a, b)));
    for (int i = 0; i < width; i++) {
      kept.add(i);
      if (kept.size() > count) {
        kept.remove();
      }
    }
    int[] top = new int[count];
    for (int i = count - 1; i >= 0; i--) {
      top[i] = kept.remove();
    }
    return top;
  }

  /** Negative if element {@code i} ranks before element {@code j}. */
  private static int order(Tensor input, int i, int j, int ofEqual) {
    DataType dtype = input.dtype();
    int order;
    if (dtype.isFloating()) {
      double x = NumericElements.floating(dtype, TensorMemory.array(input), i);
      double y = NumericElements.floating(dtype, TensorMemory.array(input), j);
      order = x > y ? -1 : x < y ? 1 : 0;
    } else {
      long x = NumericElements.integer(dtype, TensorMemory.array(input), i);
      long y = NumericElements.integer(dtype, TensorMemory.array(input), j);
      order = dtype == DataType.UINT64 ? Long.compareUnsigned(y, x) : Long.compare(y, x);
    }
    return order != 0 ? order : ofEqual;
  }
}

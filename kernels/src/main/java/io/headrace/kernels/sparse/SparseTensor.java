package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedMove;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A sparse tensor in coordinate format. Immutable.
 *
 * @param indices int64 [n, rank], the index of each value
 * @param values [n], the values
 * @param shape int64 [rank], the dense shape
 */
public record SparseTensor(Tensor indices, Tensor values, Tensor shape) {
  /**
   * The sparse tensor of inputs {@code first} to {@code first + 2}: indices, values and shape.
   * INVALID_ARGUMENT if their shapes do not agree.
   */
  public static SparseTensor of(KernelCall call, int first) {
    SparseTensor input =
        new SparseTensor(call.input(first), call.input(first + 1), call.input(first + 2));
    input.check();
    return input;
  }

  private void check() {
    checkRank("indices", indices, 2);
    checkRank("values", values, 1);
    checkRank("shape", shape, 1);
    if (indices.shape().size(0) != values.elements()) {
      throw invalidArgument(
          "Number of elements in indices (%d) and values (%d) do not match",
          indices.shape().size(0), values.elements());
    }
    if (indices.shape().size(1) != shape.elements()) {
      throw invalidArgument(
          "Index rank (%d) and shape rank (%d) do not match",
          indices.shape().size(1), shape.elements());
    }
  }

  private static void checkRank(String name, Tensor tensor, int rank) {
    if (tensor.shape().rank() != rank) {
      throw invalidArgument(
          "Sparse %s must be rank %d but is rank %d", name, rank, tensor.shape().rank());
    }
  }

  /** INVALID_ARGUMENT, with {@code must} as message, unless {@code tensor} has {@code rank}. */
  static void checkRankOf(String must, Tensor tensor, int rank) {
    if (tensor.shape().rank() != rank) {
      throw invalidArgument("%s but received shape %s", must, tensor.shape());
    }
  }

  /** Number of dimensions. */
  public int rank() {
    return shape.elements();
  }

  /** Number of values. */
  int count() {
    return values.elements();
  }

  /** The index of value {@code i} along {@code axis}. */
  public long index(int i, int axis) {
    return ((long[]) TensorMemory.array(indices))[TensorMemory.offset(indices) + i * rank() + axis];
  }

  /** The size of dimension {@code axis}. */
  long size(int axis) {
    return shape.integer(axis);
  }

  /** The index of value {@code i} as text for messages. */
  String indexText(int i) {
    long[] all = indices.integers();
    return Arrays.toString(Arrays.copyOfRange(all, i * rank(), (i + 1) * rank())).replace(" ", "");
  }

  /** Compares the indices of values {@code a} and {@code b} in row-major order. */
  int compare(int a, int b) {
    for (int axis = 0; axis < rank(); axis++) {
      int order = Long.compare(index(a, axis), index(b, axis));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** Whether the index of value {@code i} lies within the shape. */
  boolean isWithin(int i) {
    for (int axis = 0; axis < rank(); axis++) {
      if (index(i, axis) < 0 || index(i, axis) >= size(axis)) {
        return false;
      }
    }
    return true;
  }

  /** INVALID_ARGUMENT if a dimension is negative, or the number of elements overflows a long. */
  void checkSize() {
    long elements = 1;
    for (int axis = 0; axis < rank(); axis++) {
      if (size(axis) < 0) {
        throw invalidArgument("Dimension %d must be >= 0", size(axis));
      }
      if (Shapes.multiply(elements, size(axis)) < 0) {
        throw invalidArgument(
            "Encountered overflow when multiplying %d with %d, result: -1", elements, size(axis));
      }
      elements *= size(axis);
    }
  }

  /** INVALID_ARGUMENT unless all indices lie within the shape, in any order. */
  void checkWithin() {
    for (int i = 0; i < count(); i++) {
      if (!isWithin(i)) {
        throw invalidArgument(
            "Sparse index tuple indices[%d, :] = %s is out of bounds",
            i, indexText(i).replace(",", ", "));
      }
    }
  }

  /** INVALID_ARGUMENT unless all indices lie within the shape and increase strictly. */
  public void checkOrdered() {
    for (int i = 0; i < count(); i++) {
      if (!isWithin(i)) {
        throw invalidArgument(
            "indices[%d] = %s is out of bounds: need 0 <= index < %s",
            i, indexText(i), Shape.of(shape.integers()));
      }
      int order = i == 0 ? -1 : compare(i - 1, i);
      if (order == 0) {
        throw invalidArgument("indices[%d] = %s is repeated", i, indexText(i));
      }
      if (order > 0) {
        throw invalidArgument(
            "indices[%d] = %s is out of order. Many sparse ops require sorted indices. Use"
                + " `tf.sparse.reorder` to create a correctly ordered copy.",
            i, indexText(i));
      }
    }
  }

  /** The permutation that sorts the values by index, row-major and stable. */
  public int[] order() {
    return IndexSort.permutation(this, IntStream.range(0, rank()).toArray());
  }

  /** The values at the positions {@code picked}, in that order. */
  public Tensor pickValues(int[] picked) {
    ElementKind kind = values.dtype().kind();
    Object array = TensorLimit.allocate(values.dtype(), Shape.of(picked.length));
    IndexedMove.gather(
        kind, TensorMemory.array(values), TensorMemory.offset(values), 1, picked, array, 0);
    return Tensor.wrap(values.dtype(), Shape.of(picked.length), array);
  }

  /** The indices of the values at the positions {@code picked}, in that order. */
  Tensor pickIndices(int[] picked) {
    Shape result = Shape.of(picked.length, rank());
    Object array = TensorLimit.allocate(DataType.INT64, result);
    IndexedMove.gather(
        ElementKind.LONG,
        TensorMemory.array(indices),
        TensorMemory.offset(indices),
        rank(),
        picked,
        array,
        0);
    return Tensor.wrap(DataType.INT64, result, array);
  }

  /**
   * The slices along the first dimension; the rank must be at least 2. INVALID_ARGUMENT unless all
   * indices lie within the shape and increase strictly.
   */
  List<SparseTensor> rows(Cancellation stop) {
    checkOrdered();
    int count = Math.toIntExact(size(0));
    Tensor rowShape = Tensor.vector(Arrays.copyOfRange(shape.integers(), 1, rank()));
    List<SparseTensor> rows = new ArrayList<>();
    int from = 0;
    for (int row = 0; row < count; row++) {
      stop.check();
      int to = from;
      while (to < count() && index(to, 0) == row) {
        to++;
      }
      rows.add(new SparseTensor(innerIndices(from, to), values.rows(from, to).detach(), rowShape));
      from = to;
    }
    return rows;
  }

  private Tensor innerIndices(int from, int to) {
    long[] inner = new long[(to - from) * (rank() - 1)];
    int at = 0;
    for (int i = from; i < to; i++) {
      for (int axis = 1; axis < rank(); axis++) {
        inner[at++] = index(i, axis);
      }
    }
    return Tensor.wrap(DataType.INT64, Shape.of(to - from, rank() - 1), inner);
  }
}

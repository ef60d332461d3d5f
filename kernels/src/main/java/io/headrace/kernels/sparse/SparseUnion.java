package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;

/**
 * The indices of two sparse tensors of one shape, merged. Both are assumed to be in row-major
 * order.
 *
 * @param a the first operand
 * @param b the second operand
 * @param fromA for each merged index, the position of its value in {@code a}; -1 if it has none
 * @param fromB the same for {@code b}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SparseUnion(SparseTensor a, SparseTensor b, int[] fromA, int[] fromB) {

  /** The union of inputs 0 to 2 and 3 to 5; INVALID_ARGUMENT if their shapes do not agree. */
  static SparseUnion of(KernelCall call) {
    SparseTensor a = new SparseTensor(call.input(0), call.input(1), call.input(2));
    SparseTensor b = new SparseTensor(call.input(3), call.input(4), call.input(5));
    check(a, b);
    return merge(a, b);
  }

  /** Like {@link #of}, with the messages of ops that check each operand by itself first. */
  static SparseUnion ofChecked(KernelCall call) {
    SparseTensor a = SparseTensor.of(call, 0);
    SparseTensor b = SparseTensor.of(call, 3);
    if (a.rank() == 0 || b.rank() == 0) {
      throw invalidArgument("Tensors must not be empty");
    }
    checkSizes(a, b);
    a.checkWithin();
    b.checkWithin();
    return merge(a, b);
  }

  private static void check(SparseTensor a, SparseTensor b) {
    checkParts(a, b);
    checkSizes(a, b);
  }

  private static void checkParts(SparseTensor a, SparseTensor b) {
    checkRanks(
        "Input indices should be matrices but received shapes:", a.indices(), b.indices(), 2);
    checkRanks("Input values should be vectors but received shapes:", a.values(), b.values(), 1);
    long aRows = a.indices().shape().size(0);
    long bRows = b.indices().shape().size(0);
    if (aRows != a.count() || bRows != b.count()) {
      throw invalidArgument(
          "Expected %d and %d non-empty input values, got %d and %d",
          aRows, bRows, a.count(), b.count());
    }
    checkRanks("Input shapes should be a vector but received shapes", a.shape(), b.shape(), 1);
  }

  private static void checkSizes(SparseTensor a, SparseTensor b) {
    if (a.rank() != b.rank()) {
      throw invalidArgument(
          "Operands do not have the same ranks; got shapes: %s and %s",
          TensorText.summary(a.shape(), 10), TensorText.summary(b.shape(), 10));
    }
    for (int axis = 0; axis < a.rank(); axis++) {
      if (a.size(axis) != b.size(axis)) {
        throw invalidArgument(
            "Operands' shapes do not match: got %d and %d for dimension %d",
            a.size(axis), b.size(axis), axis);
      }
    }
    long aWidth = a.indices().shape().size(1);
    long bWidth = b.indices().shape().size(1);
    if (aWidth != a.rank() || bWidth != a.rank()) {
      throw invalidArgument(
          "Indices' dimensions do not match: got %d and %d, expected: %d",
          aWidth, bWidth, a.rank());
    }
  }

  private static void checkRanks(String must, Tensor a, Tensor b, int rank) {
    if (a.shape().rank() != rank || b.shape().rank() != rank) {
      throw invalidArgument("%s %s and %s", must, a.shape(), b.shape());
    }
  }

  private static SparseUnion merge(SparseTensor a, SparseTensor b) {
    int most = Math.addExact(a.count(), b.count());
    int[] fromA = new int[most];
    int[] fromB = new int[most];
    int count = 0;
    int i = 0;
    int j = 0;
    while (i < a.count() || j < b.count()) {
      int order = i == a.count() ? 1 : j == b.count() ? -1 : compare(a, i, b, j);
      fromA[count] = order <= 0 ? i++ : -1;
      fromB[count++] = order >= 0 ? j++ : -1;
    }
    return new SparseUnion(a, b, Arrays.copyOf(fromA, count), Arrays.copyOf(fromB, count));
  }

  /** Compares index {@code i} of {@code a} with index {@code j} of {@code b} in row-major order. */
  static int compare(SparseTensor a, int i, SparseTensor b, int j) {
    for (int axis = 0; axis < a.rank(); axis++) {
      int order = Long.compare(a.index(i, axis), b.index(j, axis));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** The number of merged indices. */
  int count() {
    return fromA.length;
  }

  /** The values of {@code side}, with zeros where it has none. */
  @SuppressWarnings("ReferenceEquality") // the sides may be equal
  Tensor values(SparseTensor side) {
    int[] from = side == a ? fromA : fromB;
    Tensor values = side.values();
    DataType dtype = values.dtype();
    Object array = TensorLimit.allocate(dtype, Shape.of(from.length));
    for (int i = 0; i < from.length; i++) {
      if (from[i] >= 0) {
        dtype
            .kind()
            .copy(TensorMemory.array(values), TensorMemory.offset(values) + from[i], array, i, 1);
      }
    }
    return Tensor.wrap(dtype, Shape.of(from.length), array);
  }

  /** The merged indices at {@code picked}, in that order. */
  Tensor indices(int[] picked) {
    int rank = a.rank();
    Shape shape = Shape.of(picked.length, rank);
    long[] array = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    for (int n = 0; n < picked.length; n++) {
      int at = picked[n];
      for (int axis = 0; axis < rank; axis++) {
        array[n * rank + axis] =
            fromA[at] >= 0 ? a.index(fromA[at], axis) : b.index(fromB[at], axis);
      }
    }
    return Tensor.wrap(DataType.INT64, shape, array);
  }
}

package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.Accumulators;
import io.headrace.kernels.kit.AxisMoves;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** An operand of one step of an Einsum: a tensor with a distinct label for each axis. */
final class EinsumOperand {
  private final Tensor tensor;

  /** The stride of each label in elements, outermost first. */
  private final Map<Integer, Integer> strides;

  private final Map<Integer, Long> sizes;
  private final Cancellation stop;

  private EinsumOperand(
      Tensor tensor, Map<Integer, Integer> strides, Map<Integer, Long> sizes, Cancellation stop) {
    this.tensor = tensor;
    this.strides = strides;
    this.sizes = sizes;
    this.stop = stop;
  }

  /**
   * Reads {@code tensor}, whose axes have the labels {@code axes}. A repeated label reads the
   * diagonal; axes of size 1 that broadcast are dropped.
   */
  static EinsumOperand of(Tensor tensor, int[] axes, Map<Integer, Long> sizes, Cancellation stop) {
    int[] distances = AxisMoves.strides(tensor.shape());
    Map<Integer, Integer> strides = new LinkedHashMap<>();
    for (int axis = 0; axis < axes.length; axis++) {
      long size = sizes.getOrDefault(axes[axis], 1L);
      if (tensor.shape().size(axis) == size) {
        strides.merge(axes[axis], distances[axis], Integer::sum);
      }
    }
    return new EinsumOperand(tensor, strides, sizes, stop);
  }

  List<Integer> labels() {
    return List.copyOf(strides.keySet());
  }

  private int size(int label) {
    return Math.toIntExact(sizes.getOrDefault(label, 1L));
  }

  private Shape shape(List<Integer> labels) {
    return Shape.of(labels.stream().mapToLong(this::size).toArray());
  }

  /** A row-major copy with the axes in the order of {@code labels}, a permutation of its labels. */
  private Tensor ordered(List<Integer> labels) {
    Shape shape = shape(labels);
    DataType dtype = tensor.dtype();
    Object array = TensorLimit.allocate(dtype, shape);
    int[] to = AxisMoves.strides(shape);
    StridedMove move = new StridedMove(dtype.kind());
    for (int i = 0; i < to.length; i++) {
      move.dimension(size(labels.get(i)), strides.getOrDefault(labels.get(i), 0), to[i]);
    }
    move.run(TensorMemory.array(tensor), TensorMemory.offset(tensor), array, 0, stop);
    return Tensor.wrap(dtype, shape, array);
  }

  private EinsumOperand contiguous(Object array, DataType dtype, List<Integer> labels) {
    Shape shape = shape(labels);
    int[] distances = AxisMoves.strides(shape);
    Map<Integer, Integer> result = new LinkedHashMap<>();
    for (int i = 0; i < distances.length; i++) {
      result.put(labels.get(i), distances[i]);
    }
    return new EinsumOperand(Tensor.wrap(dtype, shape, array), result, sizes, stop);
  }

  /** Its sums over the labels that are not in {@code kept}. */
  EinsumOperand sumExcept(List<Integer> kept) {
    List<Integer> outer = new ArrayList<>();
    List<Integer> summed = new ArrayList<>();
    for (int label : strides.keySet()) {
      (kept.contains(label) ? outer : summed).add(label);
    }
    if (summed.isEmpty()) {
      return this;
    }
    int height = shape(outer).elements();
    int width = shape(summed).elements();
    Tensor lines = ordered(joined(outer, summed));
    Object sums =
        MatrixBatch.of(lines, height, width)
            .times(ones(lines.dtype(), width), new int[1], new int[1], stop);
    return contiguous(sums, lines.dtype(), outer);
  }

  private static MatrixBatch ones(DataType dtype, int count) {
    Object ones = Accumulators.newArray(dtype, count);
    switch (ones) {
      case float[] a -> Arrays.fill(a, 1);
      case double[] a -> Arrays.fill(a, 1);
      case int[] a -> Arrays.fill(a, 1);
      case long[] a -> Arrays.fill(a, 1);
      default -> throw new AssertionError(dtype);
    }
    boolean complex = dtype.kind().slots() == 2;
    return new MatrixBatch(
        dtype, count, 1, ones, complex ? Accumulators.newArray(dtype, count) : null, false);
  }

  /** Contracts with {@code other}: products, summed over shared labels not in {@code kept}. */
  EinsumOperand times(EinsumOperand other, List<Integer> kept) {
    List<Integer> batch = new ArrayList<>();
    List<Integer> contracted = new ArrayList<>();
    List<Integer> free = new ArrayList<>();
    for (int label : strides.keySet()) {
      if (!other.strides.containsKey(label)) {
        free.add(label);
      } else {
        (kept.contains(label) ? batch : contracted).add(label);
      }
    }
    List<Integer> freeOfOther = new ArrayList<>(other.strides.keySet());
    freeOfOther.removeAll(strides.keySet());
    int count = shape(batch).elements();
    int m = shape(free).elements();
    int k = shape(contracted).elements();
    int n = shape(freeOfOther).elements();
    TensorLimit.check(tensor.dtype(), Shape.of(count, m, n));
    int[] each = IntStream.range(0, count).toArray();
    MatrixBatch left = MatrixBatch.of(ordered(joined(batch, free, contracted)), m, k);
    MatrixBatch right = MatrixBatch.of(other.ordered(joined(batch, contracted, freeOfOther)), k, n);
    Object products = left.times(right, each, each, stop);
    return contiguous(products, tensor.dtype(), joined(batch, free, freeOfOther));
  }

  @SafeVarargs
  private static List<Integer> joined(List<Integer>... parts) {
    List<Integer> result = new ArrayList<>();
    for (List<Integer> part : parts) {
      result.addAll(part);
    }
    return result;
  }

  /**
   * Writes the elements to {@code array}, which holds a tensor of {@code shape} whose axes have the
   * labels {@code axes}. A repeated label writes the diagonal; elements repeat along labels that
   * this operand lacks.
   */
  void write(int[] axes, Shape shape, Object array) {
    int[] distances = AxisMoves.strides(shape);
    Map<Integer, Integer> to = new LinkedHashMap<>();
    for (int axis = 0; axis < axes.length; axis++) {
      to.merge(axes[axis], distances[axis], Integer::sum);
    }
    StridedMove move = new StridedMove(tensor.dtype().kind());
    to.forEach(
        (label, stride) -> move.dimension(size(label), strides.getOrDefault(label, 0), stride));
    move.run(TensorMemory.array(tensor), TensorMemory.offset(tensor), array, 0, stop);
  }
}

package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * A tensor some of whose axes are reduced, as the kernels of {@code reductions.cu} see it: adjacent
 * axes of a kind are one dimension.
 *
 * @param kept the dimensions that are kept, outermost first
 * @param reduced the dimensions that are reduced
 */
record ReducedAxes(List<Dimension> kept, List<Dimension> reduced) {
  private static final int MAX_RANK = 4;

  /**
   * One dimension.
   *
   * @param size the number of indices
   * @param stride the elements from one index to the next
   */
  record Dimension(int size, int stride) {}

  /** Copies the lists. */
  ReducedAxes {
    kept = List.copyOf(kept);
    reduced = List.copyOf(reduced);
  }

  /** A tensor of {@code shape}, which is not empty; none if it has too many dimensions. */
  static Optional<ReducedAxes> of(Shape shape, BitSet axes) {
    List<Dimension> kept = new ArrayList<>();
    List<Dimension> reduced = new ArrayList<>();
    int stride = 1;
    boolean wasReduced = false;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      int size = (int) shape.size(axis);
      if (size == 1) {
        continue;
      }
      boolean isReduced = axes.get(axis);
      List<Dimension> dimensions = isReduced ? reduced : kept;
      if (!dimensions.isEmpty() && isReduced == wasReduced) {
        Dimension inner = dimensions.removeFirst();
        dimensions.addFirst(new Dimension(size * inner.size(), inner.stride()));
      } else {
        dimensions.addFirst(new Dimension(size, stride));
      }
      wasReduced = isReduced;
      stride *= size;
    }
    return kept.size() > MAX_RANK || reduced.size() > MAX_RANK
        ? Optional.empty()
        : Optional.of(new ReducedAxes(kept, reduced));
  }

  /** The number of results. */
  int outputs() {
    return elements(kept);
  }

  /** The number of elements that each combines. */
  int length() {
    return elements(reduced);
  }

  private static int elements(List<Dimension> dimensions) {
    return dimensions.stream().mapToInt(Dimension::size).reduce(1, (a, b) -> a * b);
  }

  /** Whether adjacent results are of adjacent elements. */
  boolean isOfColumns() {
    return !kept.isEmpty() && kept.getLast().stride() == 1;
  }

  /** Adds the arguments that tell the kernels all this. */
  void addTo(List<Number> arguments) {
    add(kept, arguments);
    add(reduced, arguments);
  }

  private static void add(List<Dimension> dimensions, List<Number> arguments) {
    arguments.add(dimensions.size());
    for (int i = 1; i < MAX_RANK; i++) {
      arguments.add(i < dimensions.size() ? dimensions.get(i).size() : 0);
    }
    for (int i = 0; i < MAX_RANK; i++) {
      arguments.add(i < dimensions.size() ? dimensions.get(i).stride() : 0);
    }
  }
}

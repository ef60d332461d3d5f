package io.headrace.runtime.elementwise;

import io.headrace.runtime.elementwise.StridedView.Axis;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Which elements of its operands a result is computed of: its dimensions, and for each operand the
 * distance from one index of a dimension to the next. Immutable.
 *
 * @param sizes the sizes of the dimensions, the outermost first; none if there is one element
 * @param targetStrides for each dimension, the distance in the result
 * @param operands the operands
 */
public record StridedPlan(
    List<Integer> sizes, List<Integer> targetStrides, List<Operand> operands) {
  /**
   * One operand.
   *
   * @param offset the position of the element that the first result is computed of
   * @param strides for each dimension, the distance in the operand; 0 if elements are repeated
   */
  public record Operand(int offset, List<Integer> strides) {
    /** Copies the list. */
    public Operand {
      strides = List.copyOf(strides);
    }

    /** Whether one element serves all results. */
    public boolean isSingle() {
      return strides.stream().allMatch(stride -> stride == 0);
    }
  }

  /** Copies the lists. */
  public StridedPlan {
    sizes = List.copyOf(sizes);
    targetStrides = List.copyOf(targetStrides);
    operands = List.copyOf(operands);
  }

  /**
   * The plan for operands that are read by {@code views}, all of as many elements as the result;
   * nothing if their axes do not fit together.
   */
  public static Optional<StridedPlan> of(List<StridedView> views) {
    TreeSet<Integer> cuts = new TreeSet<>(List.of(1));
    for (StridedView view : views) {
      int inner = 1;
      for (Axis axis : view.axes().reversed()) {
        inner *= axis.size();
        cuts.add(inner);
      }
    }
    List<Integer> sizes = new ArrayList<>();
    List<Integer> targetStrides = new ArrayList<>();
    for (int inner : cuts) {
      Integer outer = cuts.higher(inner);
      if (outer != null) {
        if (outer % inner != 0) {
          return Optional.empty();
        }
        sizes.addFirst(outer / inner);
        targetStrides.addFirst(inner);
      }
    }
    List<Operand> operands =
        views.stream().map(view -> new Operand(view.offset(), strides(view, sizes))).toList();
    return Optional.of(new StridedPlan(sizes, targetStrides, operands));
  }

  /** The strides of a view whose axes are split into dimensions of {@code sizes}. */
  private static List<Integer> strides(StridedView view, List<Integer> sizes) {
    List<Integer> strides = new ArrayList<>();
    int dimension = sizes.size() - 1;
    for (Axis axis : view.axes().reversed()) {
      int inner = 1;
      while (inner < axis.size()) {
        strides.addFirst(axis.stride() * inner);
        inner *= sizes.get(dimension--);
      }
    }
    return strides;
  }

  /** The number of results. */
  public int elements() {
    return sizes.stream().reduce(1, (a, b) -> a * b);
  }

  /** Whether {@code operand}'s elements correspond to the results one to one, in order. */
  public boolean isInOrder(int operand) {
    Operand read = operands.get(operand);
    return read.offset() == 0 && read.strides().equals(targetStrides);
  }

  /** The same with {@code dimension} as the last but one. */
  public StridedPlan withLastButOne(int dimension) {
    return new StridedPlan(
        moved(sizes, dimension),
        moved(targetStrides, dimension),
        operands.stream()
            .map(operand -> new Operand(operand.offset(), moved(operand.strides(), dimension)))
            .toList());
  }

  private static List<Integer> moved(List<Integer> values, int dimension) {
    List<Integer> moved = new ArrayList<>(values.subList(0, dimension));
    moved.addAll(values.subList(dimension + 1, values.size()));
    moved.add(values.size() - 2, values.get(dimension));
    return moved;
  }
}

package io.headrace.runtime.elementwise;

import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Movement.Dimension;
import io.headrace.runtime.op.Movement.StridedCopy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The elements of a tensor in another order: the element at index (i, j, ...), row by row, is the
 * tensor's at {@code offset + i * stride + j * stride ...}. Movements that come one after another
 * are one view, where their strides allow it. Immutable.
 *
 * @param offset the position of the first element
 * @param axes the outermost first; none if there is one element
 */
public record StridedView(int offset, List<Axis> axes) {
  /**
   * One axis.
   *
   * @param size the number of indices, at least 2
   * @param stride the distance in the tensor from one index to the next: 0 to repeat an element,
   *     negative to reverse their order
   */
  public record Axis(int size, int stride) {}

  /** Merges adjacent axes where the strides allow it. */
  public StridedView {
    List<Axis> merged = new ArrayList<>();
    for (Axis axis : axes) {
      Axis outer = merged.isEmpty() ? null : merged.getLast();
      if (axis.size() == 1) {
        continue;
      }
      if (outer != null && outer.stride() == axis.size() * axis.stride()) {
        merged.set(merged.size() - 1, new Axis(outer.size() * axis.size(), axis.stride()));
      } else {
        merged.add(axis);
      }
    }
    axes = List.copyOf(merged);
  }

  /** All of {@code elements} elements, at least 1, in their order. */
  public static StridedView all(int elements) {
    return new StridedView(0, List.of(new Axis(elements, 1)));
  }

  /** The elements of {@code operand} that the results of {@code plan}, at least 1, are made of. */
  public static StridedView of(BroadcastPlan plan, int operand) {
    List<Axis> axes = new ArrayList<>();
    for (int i = 0; i < plan.dimensions(); i++) {
      axes.add(new Axis(plan.size(i), plan.varies(operand, i) ? plan.innerOf(operand, i + 1) : 0));
    }
    return new StridedView(0, axes);
  }

  /** The elements that {@code movement} moves; nothing unless one copy writes all of its output. */
  public static Optional<StridedView> of(Movement movement) {
    if (movement.copies().size() != 1) {
      return Optional.empty();
    }
    StridedCopy copy = movement.copies().getFirst();
    List<Dimension> ordered =
        copy.dimensions().stream()
            .sorted(Comparator.comparingInt(Dimension::toStride).reversed())
            .toList();
    int inner = 1;
    for (Dimension dimension : ordered.reversed()) {
      if (dimension.toStride() != inner) {
        return Optional.empty();
      }
      inner *= dimension.size();
    }
    return copy.to() == 0 && inner == movement.shape().elements()
        ? Optional.of(
            new StridedView(
                copy.from(),
                ordered.stream()
                    .map(dimension -> new Axis(dimension.size(), dimension.fromStride()))
                    .toList()))
        : Optional.empty();
  }

  /** The number of elements. */
  public int elements() {
    return axes.stream().mapToInt(Axis::size).reduce(1, (a, b) -> a * b);
  }

  /**
   * Of the elements of this view, those at the positions of {@code picked}; nothing if they are no
   * view of the tensor.
   */
  public Optional<StridedView> then(StridedView picked) {
    return new Composition(this).of(picked);
  }

  /** Picks elements of a view. Not thread-safe. */
  private static final class Composition {
    /*
     * A position is a number in the mixed radix of the view's axes. An axis of the picked positions
     * is a step of some digits by a constant. If no digit leaves its range, whatever the indices,
     * there is no carry, and each step is a constant distance in the tensor. An axis along which a
     * digit would leave its range is split where that digit carries exactly.
     */

    private final StridedView view;

    /** The positions from one index of each of the view's axes to the next. */
    private final int[] weights;

    private final int[] digits;

    /** The least and the greatest value of each digit. */
    private final int[] least;

    private final int[] most;

    private final List<Axis> result = new ArrayList<>();

    Composition(StridedView view) {
      this.view = view;
      int rank = view.axes.size();
      weights = new int[rank];
      int weight = 1;
      for (int i = rank - 1; i >= 0; i--) {
        weights[i] = weight;
        weight *= view.axes.get(i).size();
      }
      digits = new int[rank];
      least = new int[rank];
      most = new int[rank];
    }

    Optional<StridedView> of(StridedView picked) {
      int offset = view.offset;
      int rest = picked.offset;
      for (int i = 0; i < digits.length; i++) {
        digits[i] = rest / weights[i];
        least[i] = digits[i];
        most[i] = digits[i];
        rest -= digits[i] * weights[i];
        offset += digits[i] * view.axes.get(i).stride();
      }
      for (Axis axis : picked.axes) {
        add(axis);
      }
      for (int i = 0; i < digits.length; i++) {
        if (least[i] < 0 || most[i] >= view.axes.get(i).size()) {
          return Optional.empty();
        }
      }
      return Optional.of(new StridedView(offset, result));
    }

    /** Adds an axis of positions, or the two that it is split into. */
    private void add(Axis axis) {
      int[] steps = steps(axis.stride());
      int inner = innerSize(axis, steps);
      if (inner < axis.size()) {
        add(new Axis(axis.size() / inner, axis.stride() * inner));
      }
      int stride = 0;
      for (int i = 0; i < steps.length; i++) {
        stride += steps[i] * view.axes.get(i).stride();
        least[i] += Math.min(0, steps[i]) * (inner - 1);
        most[i] += Math.max(0, steps[i]) * (inner - 1);
      }
      result.add(new Axis(inner, stride));
    }

    /** By how much each digit changes over a distance of {@code stride} positions. */
    private int[] steps(int stride) {
      int[] steps = new int[weights.length];
      int rest = stride;
      for (int i = 0; i < steps.length; i++) {
        steps[i] = rest / weights[i];
        rest -= steps[i] * weights[i];
      }
      return steps;
    }

    /** The indices of an axis after which its only digit carries exactly; otherwise all. */
    private int innerSize(Axis axis, int[] steps) {
      int inner = axis.size();
      for (int i = 1; i < steps.length; i++) {
        int step = Math.abs(steps[i]);
        int size = view.axes.get(i).size();
        if (step * weights[i] == Math.abs(axis.stride()) && step > 0 && size % step == 0) {
          int round = size / step;
          boolean isFirst = steps[i] > 0 ? digits[i] < step : digits[i] >= size - step;
          inner = isFirst && axis.size() > round && axis.size() % round == 0 ? round : inner;
        }
      }
      return inner;
    }
  }
}

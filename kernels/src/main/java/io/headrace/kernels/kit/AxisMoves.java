package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * Copies a tensor into another of the same rank. Each axis is cut into segments, which are copied
 * to another position, forwards or reversed; each combination of segments of all axes is copied as
 * one block. Reversal, rolling, padding and mirroring are expressed this way.
 */
public final class AxisMoves {
  /**
   * A segment of an axis, copied to the indices from {@code to} on.
   *
   * @param size number of indices
   * @param from the first source index
   * @param step 1 to read ascending source indices, -1 to read descending ones
   * @param to the first target index
   */
  public record Segment(int size, int from, int step, int to) {
    /** The whole axis, in order. */
    public static Segment all(long size) {
      return new Segment((int) size, 0, 1, 0);
    }
  }

  private final OutputMoves moves;
  private final int input;
  private final List<List<Segment>> axes;
  private final int[] fromStrides;
  private final int[] toStrides;
  private final Segment[] chosen;

  private AxisMoves(OutputMoves moves, int input, Shape from, Shape to, List<List<Segment>> axes) {
    this.moves = moves;
    this.input = input;
    this.axes = axes;
    this.fromStrides = strides(from);
    this.toStrides = strides(to);
    this.chosen = new Segment[axes.size()];
  }

  /**
   * Adds the copies of input {@code input}.
   *
   * @param from the shape of the input in each row
   * @param to the shape of the output in each row
   * @param axes the segments of each axis
   */
  public static void add(
      OutputMoves moves, int input, Shape from, Shape to, List<List<Segment>> axes) {
    new AxisMoves(moves, input, from, to, axes).choose(0);
  }

  /**
   * Row-major strides, in elements. If an axis is empty, the strides of the axes before it are 0.
   */
  public static int[] strides(Shape shape) {
    int[] strides = new int[shape.rank()];
    int stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0 && stride > 0; axis--) {
      strides[axis] = stride;
      stride *= (int) shape.size(axis);
    }
    return strides;
  }

  private void choose(int axis) {
    if (axis == chosen.length) {
      addCopy();
      return;
    }
    for (Segment segment : axes.get(axis)) {
      if (segment.size > 0) {
        chosen[axis] = segment;
        choose(axis + 1);
      }
    }
  }

  private void addCopy() {
    int from = 0;
    int to = 0;
    for (int axis = 0; axis < chosen.length; axis++) {
      from += chosen[axis].from * fromStrides[axis];
      to += chosen[axis].to * toStrides[axis];
    }
    moves.copy(
        input,
        from,
        to,
        copy -> {
          for (int axis = 0; axis < chosen.length; axis++) {
            Segment s = chosen[axis];
            copy.dimension(s.size, s.step * fromStrides[axis], toStrides[axis]);
          }
        });
  }
}

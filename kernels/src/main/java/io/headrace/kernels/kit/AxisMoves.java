package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
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

  private final Rows rows;
  private final int input;
  private final List<List<Segment>> axes;
  private final int[] fromStrides;
  private final int[] toStrides;
  private final int toElements;
  private final Object array;
  private final Segment[] chosen;

  private AxisMoves(Rows rows, int input, Shape to, List<List<Segment>> axes, Object array) {
    this.rows = rows;
    this.input = input;
    this.axes = axes;
    this.fromStrides = strides(rows.shape(input));
    this.toStrides = strides(to);
    this.toElements = to.elements();
    this.array = array;
    this.chosen = new Segment[axes.size()];
  }

  /**
   * Copies input {@code input} of every row into {@code array}.
   *
   * @param to the shape of a row in {@code array}
   * @param axes the segments of each axis
   */
  public static void run(Rows rows, int input, Shape to, List<List<Segment>> axes, Object array) {
    new AxisMoves(rows, input, to, axes, array).choose(0);
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
      move();
      return;
    }
    for (Segment segment : axes.get(axis)) {
      chosen[axis] = segment;
      choose(axis + 1);
    }
  }

  private void move() {
    Tensor tensor = rows.all(input);
    StridedMove move = new StridedMove(tensor.dtype().kind());
    move.dimension(rows.count(), rows.stride(input), toElements);
    int from = TensorMemory.offset(tensor);
    int to = 0;
    for (int axis = 0; axis < chosen.length; axis++) {
      Segment s = chosen[axis];
      from += s.from * fromStrides[axis];
      to += s.to * toStrides[axis];
      move.dimension(s.size, s.step * fromStrides[axis], toStrides[axis]);
    }
    move.run(TensorMemory.array(tensor), from, array, to, rows.cancellation());
  }
}

package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AxisMoves.Segment;
import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Roll: a cyclic shift along axes. */
final class RollOps {
  private RollOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Roll(input: T, shift: Tshift, axis: Taxis) -> output: T")
            .attrs("T: type", "Tshift: {int32, int64}", "Taxis: {int32, int64}")
            .shape(in -> List.of(atLeastVector(in.shape(0))))
            .runsOnGpu("shift", "axis")
            .kernel(MoveKernel.of(RollOps::roll)));
  }

  private static @Nullable List<Movement> roll(Rows rows) {
    Tensor shift = rows.same(1);
    Tensor axis = rows.same(2);
    if (shift == null || axis == null) {
      return null;
    }
    Shape shape = rows.shape(0);
    long[] shifts = shifts(shape, shift, axis);
    List<List<Segment>> axes = new ArrayList<>();
    for (int i = 0; i < shifts.length; i++) {
      int size = (int) shape.size(i);
      int by = (int) shifts[i];
      axes.add(List.of(new Segment(size - by, 0, 1, by), new Segment(by, size - by, 1, 0)));
    }
    return ReverseOps.move(rows, axes);
  }

  /** {@code shape}; INVALID_ARGUMENT for a scalar. */
  private static Shape atLeastVector(Shape shape) {
    if (shape.rank() == 0) {
      throw invalidArgument("input must be 1-D or higher");
    }
    return shape;
  }

  /** The shift of each axis, from 0 to its size - 1. */
  private static long[] shifts(Shape shape, Tensor shift, Tensor axis) {
    atLeastVector(shape);
    checkVector("shift", shift);
    checkVector("axis", axis);
    if (!shift.shape().equals(axis.shape())) {
      throw invalidArgument("shift and axis must have the same size");
    }
    long[] shifts = new long[shape.rank()];
    for (int i = 0; i < axis.elements(); i++) {
      // TensorFlow takes both as 32-bit numbers.
      int input = (int) axis.integer(i);
      Integer at = Shapes.axis(input, shape.rank());
      if (at == null) {
        throw invalidArgument("axis %d is out of range", input < 0 ? input + shape.rank() : input);
      }
      long size = Math.max(shape.size(at), 1);
      shifts[at] = Math.floorMod((int) shifts[at] + (int) shift.integer(i), size);
    }
    return shifts;
  }

  private static void checkVector(String name, Tensor tensor) {
    if (tensor.shape().rank() > 1) {
      throw invalidArgument("%s must be a scalar or a 1-D vector. Found: %s", name, tensor.shape());
    }
  }
}

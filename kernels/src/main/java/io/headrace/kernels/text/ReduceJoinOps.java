package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** ReduceJoin: joins the strings along given dimensions of a tensor. */
final class ReduceJoinOps {
  private ReduceJoinOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ReduceJoin(inputs: string, reduction_indices: int32) -> output: string")
            .attrs("keep_dims: bool = false", "separator: string = \"\"")
            .shape(ReduceJoinOps::infer)
            .kernel(node -> {
              boolean keepDims = node.attrs().bool("keep_dims");
              byte[] separator = ByteStrings.attr(node.attrs(), "separator");
              return call ->
                  call.setOutput(0, reduce(call.input(0), call.input(1), keepDims, separator));
            }));
  }

  private static List<Shape> infer(ShapeFunction.Inputs inputs) {
    Shape shape = inputs.shape(0);
    boolean keepDims = inputs.attrs().bool("keep_dims");
    @Nullable Tensor axes = inputs.constant(1);
    if (shape.isUnknownRank() || (axes == null && !keepDims)) {
      return List.of(Shape.UNKNOWN);
    }
    if (axes == null) {
      return List.of(Shape.of(LongStream.generate(() -> -1).limit(shape.rank()).toArray()));
    }
    boolean[] isReduced = new boolean[shape.rank()];
    for (long axis : axes.integers()) {
      isReduced[positive(axis, shape.rank())] = true;
    }
    return List.of(without(shape, isReduced, keepDims));
  }

  private static Shape without(Shape shape, boolean[] isReduced, boolean keepDims) {
    LongStream.Builder sizes = LongStream.builder();
    for (int axis = 0; axis < isReduced.length; axis++) {
      if (!isReduced[axis] || keepDims) {
        sizes.add(isReduced[axis] ? 1 : shape.size(axis));
      }
    }
    return Shape.of(sizes.build().toArray());
  }

  private static Tensor reduce(Tensor input, Tensor axes, boolean keepDims, byte[] separator) {
    int rank = input.shape().rank();
    boolean[] isReduced = new boolean[rank];
    List<Integer> reduced = new ArrayList<>();
    for (int i = 0; i < axes.elements(); i++) {
      reduced.add(axis(axes.integer(i), isReduced));
    }
    List<Integer> kept = IntStream.range(0, rank).filter(a -> !isReduced[a]).boxed().toList();
    Shape shape = without(input.shape(), isReduced, keepDims);
    byte[][] result = ByteStrings.allocate(shape);
    int perResult = size(input.shape(), reduced);
    for (int i = 0; i < result.length; i++) {
      int base = index(i, kept, input.shape());
      List<byte[]> parts = new ArrayList<>(perResult);
      for (int j = 0; j < perResult; j++) {
        parts.add(input.string(base + index(j, reduced.reversed(), input.shape())));
      }
      result[i] = StringJoinOps.join(parts, separator);
    }
    return Tensor.wrap(DataType.STRING, shape, result);
  }

  private static int axis(long axis, boolean[] isReduced) {
    int positive = positive(axis, isReduced.length);
    if (isReduced[positive]) {
      throw StatusException.invalidArgument("Duplicate reduction dimension %d", axis);
    }
    isReduced[positive] = true;
    return positive;
  }

  private static int positive(long axis, int rank) {
    if (axis < -rank || axis >= rank) {
      throw StatusException.of(
          StatusCode.OUT_OF_RANGE,
          "Invalid reduction dimension %d for input with %d dimension(s)",
          axis,
          rank);
    }
    return (int) (axis < 0 ? axis + rank : axis);
  }

  private static int size(Shape shape, List<Integer> axes) {
    int size = 1;
    for (int axis : axes) {
      size *= (int) shape.size(axis);
    }
    return size;
  }

  /**
   * The flat index, in a tensor of {@code shape}, of element {@code i} of the subspace that {@code
   * axes} span, with the other coordinates 0.
   */
  private static int index(int i, List<Integer> axes, Shape shape) {
    int rest = i;
    int index = 0;
    for (int axis : axes.reversed()) {
      int size = (int) shape.size(axis);
      index += rest % size * shape.dropFirst(axis + 1).elements();
      rest /= size;
    }
    return index;
  }
}

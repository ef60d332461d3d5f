package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Pack ({@code tf.stack}) stacks tensors along a new axis, and Unpack ({@code tf.unstack}) is its
 * inverse. ParallelConcat ({@code tf.parallel_stack}) joins tensors of one slice each along axis 0.
 */
final class PackOps {
  private PackOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Pack(values: N * T) -> output: T")
            .attrs("N: int", "T: type", "axis: int = 0")
            .shape(PackOps::packRule)
            .runsOnGpu()
            .kernel(MoveKernel.made(PackOps::pack)),
        Op.define("Unpack(value: T) -> (output: num * T)")
            .attrs("num: int", "T: type", "axis: int = 0")
            .shape(PackOps::unpackRule)
            .runsOnGpu()
            .kernel(MoveKernel.made(PackOps::unpack)),
        Op.define("ParallelConcat(values: N * T) -> output: T")
            .attrs("N: int", "T: type", "shape: shape")
            .remark(
                "Values that do not make attr shape are INVALID_ARGUMENT; TensorFlow leaves what is"
                    + " missing as it finds it.")
            .shape(in -> List.of(in.attrs().shape("shape")))
            .runsOnGpu()
            .kernel(MoveKernel.made(PackOps::parallelConcat)));
  }

  private static MoveKernel.Body pack(NodeSpec node) {
    long axis = node.attrs().integer("axis");
    return rows -> {
      Shape shape = rows.shape(0);
      for (int i = 1; i < rows.inputs(); i++) {
        if (!rows.shape(i).equals(shape)) {
          throw invalidArgument(
              "Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
              shape, i, rows.shape(i));
        }
      }
      int at = packAxis(axis, shape.rank());
      Shape result =
          Shapes.concat(shape.sub(0, at), shape.sub(at, shape.rank()).prepend(rows.inputs()));
      return ConcatOps.join(rows, 0, rows.inputs(), at, result);
    };
  }

  /** Joins values of one slice each into the tensor of attr {@code shape}. */
  private static MoveKernel.Body parallelConcat(NodeSpec node) {
    Shape shape = node.attrs().shape("shape");
    return rows -> {
      if (shape.rank() < 1 || shape.size(0) != rows.inputs()) {
        throw invalidArgument("%d values cannot make a tensor of shape %s", rows.inputs(), shape);
      }
      Shape one = shape.dropFirst(1).prepend(1);
      for (int i = 0; i < rows.inputs(); i++) {
        if (!rows.shape(i).equals(one)) {
          throw invalidArgument("values[%d] must have shape %s, and has %s", i, one, rows.shape(i));
        }
      }
      return ConcatOps.join(rows, 0, rows.inputs(), 0, shape);
    };
  }

  private static int packAxis(long axis, int rank) {
    Integer at = Shapes.axis(axis, rank + 1);
    if (at == null) {
      throw invalidArgument("axis = %d not in [%d, %d)", axis, -(rank + 1), rank + 1);
    }
    return at;
  }

  private static List<Shape> packRule(ShapeFunction.Inputs in) {
    Shape merged = in.shape(0);
    for (int i = 1; i < in.count(); i++) {
      merged = Shapes.merge(merged, in.shape(i));
    }
    if (merged.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    int at = packAxis(in.attrs().integer("axis"), merged.rank());
    return List.of(
        Shapes.concat(merged.sub(0, at), merged.sub(at, merged.rank()).prepend(in.count())));
  }

  private static MoveKernel.Body unpack(NodeSpec node) {
    int num = node.attrs().count("num");
    long axis = node.attrs().integer("axis");
    return rows -> {
      Shape shape = rows.shape(0);
      int at = unpackAxis(axis, shape.rank());
      if (shape.size(at) != num) {
        throw invalidArgument("Input shape axis %d must equal %d, got shape %s", at, num, shape);
      }
      return SplitOps.split(rows, 0, at, ones(num), without(shape, at));
    };
  }

  private static int unpackAxis(long axis, int rank) {
    Integer at = Shapes.axis(axis, rank);
    if (at == null) {
      throw invalidArgument("axis = %d not in [%d, %d)", axis, -rank, rank);
    }
    return at;
  }

  private static long[] ones(int count) {
    long[] ones = new long[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static List<Shape> without(Shape shape, int axis) {
    Shape rest = Shapes.concat(shape.sub(0, axis), shape.sub(axis + 1, shape.rank()));
    return Collections.nCopies(shape.size(axis) < 0 ? 1 : (int) shape.size(axis), rest);
  }

  private static List<Shape> unpackRule(ShapeFunction.Inputs in) {
    int num = in.attrs().count("num");
    Shape shape = in.shape(0);
    if (shape.isUnknownRank()) {
      return Collections.nCopies(num, shape);
    }
    int at = unpackAxis(in.attrs().integer("axis"), shape.rank());
    Shapes.mergeSize(shape.size(at), num);
    return Collections.nCopies(num, without(Shapes.withSize(shape, at, 1), at).getFirst());
  }
}

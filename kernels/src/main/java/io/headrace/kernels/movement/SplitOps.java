package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

/** Split and SplitV cut a tensor along an axis, into equal parts or parts of given sizes. */
final class SplitOps {
  private SplitOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Split(split_dim: int32, value: T) -> (output: num_split * T)")
            .attrs("num_split: int", "T: type")
            .shape(SplitOps::splitRule)
            .runsOnGpu("split_dim")
            .kernel(MoveKernel.made(SplitOps::split)),
        Op.define(
                "SplitV(value: T, size_splits: Tlen, split_dim: int32) -> (output: num_split * T)")
            .attrs("num_split: int", "T: type", "Tlen: {int32, int64} = int64")
            .shape(SplitOps::splitVRule)
            .runsOnGpu("size_splits", "split_dim")
            .kernel(MoveKernel.made(SplitOps::splitV)));
  }

  private static MoveKernel.Body split(NodeSpec node) {
    int num = node.attrs().count("num_split");
    return rows -> {
      Tensor dim = rows.same(0);
      if (dim == null) {
        return null;
      }
      if (dim.elements() != 1 || dim.shape().rank() != 0) {
        throw invalidArgument("split_dim must be a scalar but has rank %d", dim.shape().rank());
      }
      Shape shape = rows.shape(1);
      int axis = splitAxis(dim.integer(0), shape.rank());
      checkEven(num, shape.size(axis), axis);
      long[] sizes = new long[num];
      Arrays.fill(sizes, shape.size(axis) / num);
      return split(rows, 1, axis, sizes, partShapes(shape, axis, sizes));
    };
  }

  private static int splitAxis(long dim, int rank) {
    Integer axis = Shapes.axis(dim, rank);
    if (axis == null) {
      throw invalidArgument(
          "-input rank(-%d) <= split_dim < input rank (%d), but got %d", rank, rank, dim);
    }
    return axis;
  }

  private static void checkEven(int num, long size, int axis) {
    if (num <= 0) {
      throw invalidArgument("Number of ways to split should be > 0, but got %d", num);
    }
    if (size % num != 0) {
      throw invalidArgument(
          "Number of ways to split should evenly divide the split dimension, but got split_dim %d"
              + " (size = %d) and num_split %d",
          axis, size, num);
    }
  }

  private static List<Shape> partShapes(Shape shape, int axis, long[] sizes) {
    List<Shape> shapes = new ArrayList<>();
    for (long size : sizes) {
      shapes.add(Shapes.withSize(shape, axis, size));
    }
    return shapes;
  }

  private static List<Shape> splitRule(ShapeFunction.Inputs in) {
    int num = in.attrs().count("num_split");
    OptionalLong dim = Shapes.constantScalar(in, 0);
    Shape shape = in.shape(1);
    if (dim.isEmpty() || shape.isUnknownRank()) {
      Shape unknown = shape.isUnknownRank() ? shape : Shapes.ofRank(shape.rank());
      return Collections.nCopies(num, unknown);
    }
    int axis = splitAxis(dim.getAsLong(), shape.rank());
    long size = shape.size(axis) < 0 ? Shape.UNKNOWN_DIMENSION : shape.size(axis) / num;
    return Collections.nCopies(num, Shapes.withSize(shape, axis, size));
  }

  private static MoveKernel.Body splitV(NodeSpec node) {
    int num = node.attrs().count("num_split");
    return rows -> {
      Tensor lengths = rows.same(1);
      Tensor dim = rows.same(2);
      if (lengths == null || dim == null) {
        return null;
      }
      if (dim.elements() != 1) {
        throw invalidArgument("split_dim_tensor must have exactly one element.");
      }
      if (lengths.shape().rank() != 1 || lengths.elements() != num) {
        throw invalidArgument(
            "size of the split_tensor must be 1-D and have the same elements as outputs got %d -D"
                + " and %d elements",
            lengths.shape().rank(), lengths.elements());
      }
      Shape shape = rows.shape(0);
      int axis = splitAxis(dim.integer(0), shape.rank());
      long[] sizes = splitSizes(lengths.integers(), shape.size(axis));
      return split(rows, 0, axis, sizes, partShapes(shape, axis, sizes));
    };
  }

  /** The sizes of the parts; one given as -1 takes the rest of the dimension. */
  private static long[] splitSizes(long[] sizes, long dimension) {
    int rest = -1;
    long sum = 0;
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] == -1) {
        if (rest >= 0) {
          throw invalidArgument("There can only be one -1 in the input.");
        }
        rest = i;
      } else if (sizes[i] < 0) {
        throw invalidArgument("Split size at index %d must be >= 0. Got: %d", i, sizes[i]);
      } else {
        sum += sizes[i];
      }
    }
    if (sizes.length == 1 && sizes[0] != dimension) {
      throw invalidArgument(
          "If there is only one output, it must have the same size as the input. Input size: %d"
              + " output size: %d",
          dimension, sizes[0]);
    }
    boolean fits = rest < 0 ? sum == dimension : sum <= dimension;
    if (!fits) {
      throw invalidArgument(
          "Determined shape must either match input shape along split_dim exactly if fully"
              + " specified, or be less than the size of the input along split_dim if not fully"
              + " specified.  Got: %d",
          sum);
    }
    if (rest >= 0) {
      sizes[rest] = dimension - sum;
    }
    return sizes;
  }

  private static List<Shape> splitVRule(ShapeFunction.Inputs in) {
    int num = in.attrs().count("num_split");
    Shape shape = in.shape(0);
    OptionalLong dim = Shapes.constantScalar(in, 2);
    Tensor lengths = in.constant(1);
    if (dim.isEmpty() || shape.isUnknownRank()) {
      Shape unknown = shape.isUnknownRank() ? shape : Shapes.ofRank(shape.rank());
      return Collections.nCopies(num, unknown);
    }
    int axis = splitAxis(dim.getAsLong(), shape.rank());
    if (lengths == null) {
      Shape unknown = Shapes.withSize(shape, axis, Shape.UNKNOWN_DIMENSION);
      return Collections.nCopies(num, unknown);
    }
    long[] sizes = lengths.integers();
    if (shape.size(axis) >= 0) {
      sizes = splitSizes(sizes, shape.size(axis));
    }
    return partShapes(shape, axis, sizes);
  }

  /**
   * The outputs of input {@code input} that is split along {@code axis}.
   *
   * @param sizes the size of each part along the axis
   * @param shapes the shape of each output
   */
  static List<Movement> split(Rows rows, int input, int axis, long[] sizes, List<Shape> shapes) {
    Shape shape = rows.shape(input);
    int outer = shape.sub(0, axis).elements();
    int inner = shape.sub(axis + 1, shape.rank()).elements();
    int block = inner * (int) shape.size(axis);
    List<Movement> parts = new ArrayList<>();
    int at = 0;
    for (int i = 0; i < sizes.length; i++) {
      int size = inner * (int) sizes[i];
      parts.add(
          new OutputMoves(rows, rows.dtype(input), shapes.get(i))
              .copy(input, at, 0, copy -> copy.dimension(outer, block, size).dimension(size, 1, 1))
              .movement());
      at += size;
    }
    return parts;
  }
}

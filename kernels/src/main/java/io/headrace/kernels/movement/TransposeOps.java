package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AxisMoves;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Transpose and ConjugateTranspose permute the axes of a tensor; InvertPermutation gives the
 * permutation that undoes one.
 */
final class TransposeOps {
  private TransposeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Transpose(x: T, perm: Tperm) -> y: T")
            .attrs("T: type", "Tperm: {int32, int64} = int32")
            .shape(TransposeOps::transposeRule)
            .runsOnGpu("perm")
            .kernel(MoveKernel.of(TransposeOps::transpose)),
        Op.define("ConjugateTranspose(x: T, perm: Tperm) -> y: T")
            .attrs("T: type", "Tperm: {int32, int64} = int32")
            .shape(TransposeOps::transposeRule)
            .kernel(_ -> new ConjugateTranspose(new MoveKernel(TransposeOps::transpose))),
        Op.define("InvertPermutation(x: T) -> y: T")
            .attrs("T: {int32, int64} = int32")
            .shape(in -> List.of(Shapes.withRank(in.shape(0), 1)))
            .kernel(RowKernel.of(TransposeOps::invertPermutation)));
  }

  private static @Nullable List<Movement> transpose(Rows rows) {
    Tensor perm = rows.same(1);
    if (perm == null) {
      return null;
    }
    Shape shape = rows.shape(0);
    int[] axes = permutation(perm, shape.rank());
    Shape result = permuted(shape, axes);
    int[] from = AxisMoves.strides(shape);
    int[] to = AxisMoves.strides(result);
    return new OutputMoves(rows, rows.dtype(0), result)
        .copy(
            0,
            0,
            0,
            copy -> {
              for (int axis = 0; axis < axes.length; axis++) {
                copy.dimension((int) result.size(axis), from[axes[axis]], to[axis]);
              }
            })
        .only();
  }

  /** Moves elements as Transpose does, and negates their imaginary parts. */
  private record ConjugateTranspose(MoveKernel moves) implements Kernel.Sync {
    @Override
    public void compute(KernelCall call) {
      set(call, moves.movements(call));
    }

    @Override
    public boolean computeRows(RowsCall call) {
      List<Movement> movements = moves.movementsOfRows(call);
      if (movements == null) {
        return false;
      }
      set(call, movements);
      return true;
    }

    private static void set(KernelCall call, List<Movement> movements) {
      Movement movement = movements.getFirst();
      Object array = MoveKernel.array(call, movement);
      negateImaginary(movement.dtype(), array);
      call.setOutput(0, Tensor.wrap(movement.dtype(), movement.shape(), array));
    }
  }

  private static int[] permutation(Tensor perm, int rank) {
    if (perm.shape().rank() != 1) {
      throw invalidArgument("perm must be rank 1, got shape %s", perm.shape());
    }
    if (perm.elements() != rank) {
      throw invalidArgument(
          "transpose expects a vector of size %d. But input(1) is a vector of size %d",
          rank, perm.elements());
    }
    long[] values = perm.integers();
    boolean[] seen = new boolean[rank];
    for (int i = 0; i < rank; i++) {
      values[i] += values[i] < 0 ? rank : 0;
      if (values[i] < 0 || values[i] >= rank) {
        throw invalidArgument("%d is out of range [0 .. %d)", values[i], rank);
      }
      seen[(int) values[i]] = true;
    }
    for (int axis = 0; axis < rank; axis++) {
      if (!seen[axis]) {
        throw invalidArgument("%d is missing from {%s}.", axis, joined(values));
      }
    }
    return Arrays.stream(values).mapToInt(axis -> (int) axis).toArray();
  }

  private static String joined(long[] values) {
    return Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  private static Shape permuted(Shape shape, int[] axes) {
    return Shape.of(Arrays.stream(axes).mapToLong(shape::size).toArray());
  }

  private static void negateImaginary(DataType dtype, Object array) {
    if (array instanceof float[] a && dtype == DataType.COMPLEX64) {
      for (int i = 1; i < a.length; i += 2) {
        a[i] = -a[i];
      }
    } else if (array instanceof double[] a && dtype == DataType.COMPLEX128) {
      for (int i = 1; i < a.length; i += 2) {
        a[i] = -a[i];
      }
    }
  }

  private static List<Shape> transposeRule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    Tensor perm = in.constant(1);
    if (perm != null && !shape.isUnknownRank()) {
      return List.of(permuted(shape, permutation(perm, shape.rank())));
    }
    int rank = perm != null ? perm.elements() : knownLength(in.shape(1));
    rank = rank < 0 ? shape.rank() : rank;
    return List.of(rank < 0 ? Shape.UNKNOWN : Shapes.ofRank(rank));
  }

  static int knownLength(Shape vector) {
    return vector.rank() == 1 ? (int) vector.size(0) : -1;
  }

  private static boolean invertPermutation(Rows rows) {
    Tensor permutation = rows.same(0);
    if (permutation == null) {
      return false;
    }
    if (permutation.shape().rank() != 1) {
      throw invalidArgument("invert_permutation expects a 1D vector.");
    }
    rows.setSame(0, IntegerTensors.vector(permutation.dtype(), inverse(permutation.integers())));
    return true;
  }

  private static long[] inverse(long[] permutation) {
    int size = permutation.length;
    long[] inverse = LongStream.generate(() -> -1).limit(size).toArray();
    for (int i = 0; i < size; i++) {
      long to = permutation[i];
      if (to < 0 || to >= size) {
        throw invalidArgument("%d is not between 0 and %d", to, size);
      }
      if (inverse[(int) to] >= 0) {
        throw invalidArgument("%d is duplicated in the input.", to);
      }
      inverse[(int) to] = i;
    }
    return inverse;
  }
}

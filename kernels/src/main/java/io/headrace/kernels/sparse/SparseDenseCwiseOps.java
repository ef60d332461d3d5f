package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedMove;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/**
 * SparseDenseCwiseAdd, -Mul and -Div: the values of a sparse tensor with the elements of a dense
 * one, which broadcasts to its shape.
 */
final class SparseDenseCwiseOps {
  private static final int MOST_DIMENSIONS = 5;

  private SparseDenseCwiseOps() {}

  static List<Op> ops() {
    return List.of(
        op("SparseDenseCwiseAdd", Expression::add, false),
        op("SparseDenseCwiseMul", Expression::mul, false),
        op("SparseDenseCwiseDiv", Expression::div, true));
  }

  private static Op op(String name, BinaryOperator<Expression> rule, boolean divides) {
    return Op.define(
            name + "(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> output: T")
        .attrs("T: real")
        .shape(in -> {
          Shape indices = Shapes.withRank(in.shape(0), 2);
          return List.of(Shape.of(indices.size(0)));
        })
        .kernel(node -> kernel(node.attrs().type("T"), rule, divides));
  }

  private static Kernel.Sync kernel(
      DataType dtype, BinaryOperator<Expression> rule, boolean divides) {
    Expression sparse = new Expression.Input(0, dtype);
    Expression dense = new Expression.Input(1, dtype);
    ElementwiseKernel result =
        ElementwiseKernel.of(rule.apply(sparse, dense), List.of(dtype, dtype));
    return call -> {
      SparseTensor operand = new SparseTensor(call.input(0), call.input(1), call.input(2));
      check(operand, call.input(3));
      Tensor gathered = gathered(operand, call.input(3));
      if (divides) {
        checkNonZero(gathered);
      }
      call.setOutput(0, result.apply(operand.values(), gathered));
    };
  }

  private static void check(SparseTensor sparse, Tensor dense) {
    Shape indices = sparse.indices().shape();
    if (indices.rank() != 2) {
      throw invalidArgument("Input sp_indices should be a matrix but received shape: %s", indices);
    }
    if (sparse.values().shape().rank() != 1 || sparse.shape().shape().rank() != 1) {
      throw invalidArgument(
          "Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s",
          sparse.values().shape(), sparse.shape().shape());
    }
    if (sparse.rank() == 0) {
      throw invalidArgument(
          "The shape argument requires at least one element: it is %s", sparse.shape().shape());
    }
    if (sparse.count() != indices.size(0)) {
      throw invalidArgument(
          "The first dimension of values and indices should match. (%d vs. %d)",
          sparse.count(), indices.size(0));
    }
    if (sparse.rank() != indices.size(1)) {
      throw invalidArgument(
          "Number of dimensions must match second dimension of indices. Got %d dimensions, indices"
              + " shape: %s",
          sparse.rank(), indices);
    }
    sparse.checkSize();
    checkBroadcasts(sparse, dense.shape());
    if (sparse.rank() > MOST_DIMENSIONS) {
      throw invalidArgument(
          "Only tensors with ranks between 1 and 5 are currently supported.  Tensor rank: %d",
          sparse.rank());
    }
  }

  private static void checkBroadcasts(SparseTensor sparse, Shape dense) {
    int offset = sparse.rank() - dense.rank();
    boolean fits = offset >= 0;
    for (int axis = 0; fits && axis < dense.rank(); axis++) {
      long size = sparse.size(offset + axis);
      fits = dense.size(axis) == size || (dense.size(axis) == 1 && size > 0);
    }
    if (!fits) {
      throw invalidArgument(
          "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes:"
              + " [%s] vs. [%s]",
          joined(sparse.shape().integers()), joined(dense.dimensions()));
    }
  }

  private static String joined(long[] sizes) {
    return Arrays.stream(sizes).mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  private static void checkNonZero(Tensor dense) {
    for (int i = 0; i < dense.elements(); i++) {
      if (NumericElements.real(
              dense.dtype(), TensorMemory.array(dense), TensorMemory.offset(dense) + i)
          == 0) {
        throw invalidArgument(
            "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero ");
      }
    }
  }

  /** The element of {@code dense} at the index of each value. */
  private static Tensor gathered(SparseTensor sparse, Tensor dense) {
    int offset = sparse.rank() - dense.shape().rank();
    int[] picked = new int[sparse.count()];
    for (int i = 0; i < picked.length; i++) {
      if (!sparse.isWithin(i)) {
        throw invalidArgument(
            "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape");
      }
      int at = 0;
      for (int axis = 0; axis < dense.shape().rank(); axis++) {
        int size = (int) dense.shape().size(axis);
        at = at * size + (size == 1 ? 0 : (int) sparse.index(i, offset + axis));
      }
      picked[i] = at;
    }
    DataType dtype = dense.dtype();
    Object array = TensorLimit.allocate(dtype, Shape.of(picked.length));
    IndexedMove.gather(
        dtype.kind(), TensorMemory.array(dense), TensorMemory.offset(dense), 1, picked, array, 0);
    return Tensor.wrap(dtype, Shape.of(picked.length), array);
  }
}

package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The SparseTensorDenseMatMul op: the product of a sparse and a dense matrix. */
final class SparseTensorDenseMatMulOps {
  private SparseTensorDenseMatMulOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseTensorDenseMatMul(a_indices: Tindices, a_values: T, a_shape: int64, b: T)"
                    + " -> product: T")
            .attrs(
                "T: type",
                "Tindices: {int32, int64} = int64",
                "adjoint_a: bool = false",
                "adjoint_b: bool = false")
            .remark("Of float, double and int32; other dtypes are UNIMPLEMENTED.")
            .shape(SparseTensorDenseMatMulOps::matMulRule)
            .kernel(node -> new MatMul(node)::compute));
  }

  private static List<Shape> matMulRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 1);
    Shape a = Shapes.withRank(Shapes.fromSizes(in, 2), 2);
    Shape b = Shapes.withRank(in.shape(3), 2);
    boolean adjointA = in.attrs().bool("adjoint_a");
    boolean adjointB = in.attrs().bool("adjoint_b");
    Shapes.mergeSize(a.size(adjointA ? 0 : 1), b.size(adjointB ? 1 : 0));
    return List.of(Shape.of(a.size(adjointA ? 1 : 0), b.size(adjointB ? 0 : 1)));
  }

  /** The kernel of a node. */
  private static final class MatMul {
    private final boolean adjointA;
    private final boolean adjointB;

    MatMul(NodeSpec node) {
      this.adjointA = node.attrs().bool("adjoint_a");
      this.adjointB = node.attrs().bool("adjoint_b");
      DataType dtype = node.attrs().type("T");
      switch (dtype) {
        case FLOAT32, FLOAT64, INT32 -> {}
        default ->
            throw StatusException.unimplemented(
                "SparseTensorDenseMatMul of %s is not supported, only of float, double and int32",
                dtype.tfName());
      }
    }

    void compute(KernelCall call) {
      Tensor indices = call.input(0);
      Tensor values = call.input(1);
      Tensor sizes = call.input(2);
      Tensor b = call.input(3);
      check(indices, values, sizes, b);
      int rows = Math.toIntExact(sizes.integer(adjointA ? 1 : 0));
      int inner = (int) sizes.integer(adjointA ? 0 : 1);
      int columns = (int) b.shape().size(adjointB ? 0 : 1);
      if (b.shape().size(adjointB ? 1 : 0) != inner) {
        throw invalidArgument(
            "Cannot multiply A and B because inner dimension does not match: %d vs. %d.  Did you"
                + " forget a transpose?  Dimensions of A: [%d, %d).  Dimensions of B: %s",
            inner, b.shape().size(adjointB ? 1 : 0), sizes.integer(0), sizes.integer(1), b.shape());
      }
      Shape shape = Shape.of(rows, columns);
      Object product = TensorLimit.allocate(values.dtype(), shape);
      for (int i = 0; i < values.elements(); i++) {
        call.cancellation().check();
        long row = indices.integer(2 * i + (adjointA ? 1 : 0));
        long k = indices.integer(2 * i + (adjointA ? 0 : 1));
        if (k < 0 || k >= inner) {
          throw invalidArgument(
              "k (%d) from index[%d,%d] out of bounds (>=%d)", k, i, adjointA ? 0 : 1, inner);
        }
        if (row < 0 || row >= rows) {
          throw invalidArgument(
              "m (%d) from index[%d,%d] out of bounds (>=%d)", row, i, adjointA ? 1 : 0, rows);
        }
        int stepB = adjointB ? inner : 1;
        int fromB = TensorMemory.offset(b) + (int) k * (adjointB ? 1 : columns);
        add(values, i, TensorMemory.array(b), fromB, stepB, product, (int) row * columns, columns);
      }
      call.setOutput(0, Tensor.wrap(values.dtype(), shape, product));
    }

    private static void check(Tensor indices, Tensor values, Tensor sizes, Tensor b) {
      if (b.shape().rank() != 2) {
        throw invalidArgument("Tensor 'b' is not a matrix");
      }
      if (sizes.shape().rank() != 1 || sizes.elements() != 2) {
        throw invalidArgument("Tensor 'a_shape' is not a vector or does not have 2 elements");
      }
      if (values.shape().rank() != 1) {
        throw invalidArgument("Tensor 'a_values' is not a vector");
      }
      if (indices.shape().rank() != 2) {
        throw invalidArgument("Tensor 'a_indices' is not a matrix");
      }
      if (indices.shape().size(0) != values.elements() || indices.shape().size(1) != 2) {
        throw invalidArgument(
            "Number of rows of a_indices does not match number of entries in a_values: %s, %d",
            indices.shape(), values.elements());
      }
    }

    private static void add(
        Tensor values, int i, Object b, int fromB, int stepB, Object out, int at, int columns) {
      int from = TensorMemory.offset(values) + i;
      switch (out) {
        case float[] sums -> {
          float value = ((float[]) TensorMemory.array(values))[from];
          for (int n = 0; n < columns; n++) {
            sums[at + n] += value * ((float[]) b)[fromB + n * stepB];
          }
        }
        case double[] sums -> {
          double value = ((double[]) TensorMemory.array(values))[from];
          for (int n = 0; n < columns; n++) {
            sums[at + n] += value * ((double[]) b)[fromB + n * stepB];
          }
        }
        case int[] sums -> {
          int value = ((int[]) TensorMemory.array(values))[from];
          for (int n = 0; n < columns; n++) {
            sums[at + n] += value * ((int[]) b)[fromB + n * stepB];
          }
        }
        default -> throw new AssertionError(out.getClass());
      }
    }
  }
}

package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combining;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;

/** Ops that fill, sum and multiply sparse tensors. */
final class SparseComputeOps {
  private SparseComputeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseFillEmptyRows(indices: int64, values: T, dense_shape: int64,"
                    + " default_value: T) -> (output_indices: int64, output_values: T,"
                    + " empty_row_indicator: bool, reverse_index_map: int64)")
            .attrs("T: type")
            .shape(SparseComputeOps::fillRule)
            .stateless(SparseComputeOps::fillEmptyRows),
        Op.define(
                "SparseReduceSum(input_indices: int64, input_values: T, input_shape: int64,"
                    + " reduction_axes: int32) -> output: T")
            .attrs("keep_dims: bool = false", "T: number")
            .shape(SparseComputeOps::reduceRule)
            .kernel(node -> {
              boolean keep = node.attrs().bool("keep_dims");
              return call -> reduceSum(call, keep);
            }),
        Op.define(
                "SparseTensorDenseMatMul(a_indices: Tindices, a_values: T, a_shape: int64, b: T)"
                    + " -> product: T")
            .attrs(
                "T: type",
                "Tindices: {int32, int64} = int64",
                "adjoint_a: bool = false",
                "adjoint_b: bool = false")
            .shape(SparseComputeOps::matMulRule)
            .kernel(node -> new MatMul(node)::compute));
  }

  private static List<Shape> fillRule(ShapeRule.Inputs in) {
    Shape indices = Shapes.withRank(in.shape(0), 2);
    Shape values = Shapes.withRank(in.shape(1), 1);
    Shape shape = Shapes.withRank(in.shape(2), 1);
    Shapes.withRank(in.shape(3), 0);
    long count = Shapes.mergeSize(indices.size(0), values.size(0));
    long rank = Shapes.mergeSize(indices.size(1), shape.size(0));
    Tensor sizes = in.constant(2);
    long rows = sizes == null ? Shape.UNKNOWN_DIMENSION : sizes.integer(0);
    long unknown = Shape.UNKNOWN_DIMENSION;
    return List.of(Shape.of(unknown, rank), Shape.of(unknown), Shape.of(rows), Shape.of(count));
  }

  private static void fillEmptyRows(KernelCall call) {
    SparseInput sparse = new SparseInput(call.input(0), call.input(1), call.input(2));
    Tensor defaultValue = call.input(3);
    checkFill(sparse, defaultValue);
    int count = sparse.count();
    Shape rowShape = Shape.of(sparse.size(0));
    byte[] empty = (byte[]) TensorLimit.allocate(DataType.BOOL, rowShape);
    int rows = empty.length;
    if (rows == 0 && count != 0) {
      throw invalidArgument(
          "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = %d", count);
    }
    int[] starts = new int[rows + 1];
    for (int i = 0; i < count; i++) {
      long row = sparse.index(i, 0);
      if (row < 0 || row >= rows) {
        // TensorFlow says so of negative ones, too.
        throw invalidArgument("indices(%d, 0) is invalid: %d >= %d", i, row, rows);
      }
      starts[(int) row + 1]++;
    }
    for (int row = 0; row < rows; row++) {
      empty[row] = (byte) (starts[row + 1] == 0 ? 1 : 0);
      starts[row + 1] = starts[row] + Math.max(1, starts[row + 1]);
    }
    setFilled(call, sparse, defaultValue, empty, starts);
    call.setOutput(2, Tensor.of(DataType.BOOL, rowShape, empty));
  }

  private static void checkFill(SparseInput sparse, Tensor defaultValue) {
    if (sparse.shape().shape().rank() != 1) {
      throw invalidArgument("dense_shape must be a vector, saw: %s", sparse.shape().shape());
    }
    if (sparse.indices().shape().rank() != 2) {
      throw invalidArgument("indices must be a matrix, saw: %s", sparse.indices().shape());
    }
    if (sparse.values().shape().rank() != 1) {
      throw invalidArgument("values must be a vector, saw: %s", sparse.values().shape());
    }
    if (sparse.indices().shape().size(0) != sparse.count()) {
      throw invalidArgument(
          "The length of `values` (%d) must match the first dimension of `indices` (%d).",
          sparse.count(), sparse.indices().shape().size(0));
    }
    if (sparse.indices().shape().size(1) != sparse.rank()) {
      throw invalidArgument(
          "The length of `dense_shape` (%d) must match the second dimension of `indices` (%d).",
          sparse.rank(), sparse.indices().shape().size(1));
    }
    if (defaultValue.shape().rank() != 0) {
      throw invalidArgument("default_value must be a scalar, saw: %s", defaultValue.shape());
    }
    if (sparse.rank() == 0) {
      throw invalidArgument("Dense shape cannot be empty.");
    }
  }

  /** Values by row, those of one row in their order; {@code starts} says where each row begins. */
  private static void setFilled(
      KernelCall call, SparseInput sparse, Tensor defaultValue, byte[] empty, int[] starts) {
    int rank = sparse.rank();
    int total = starts[starts.length - 1];
    DataType dtype = sparse.values().dtype();
    Shape indexShape = Shape.of(total, rank);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, indexShape);
    Object values = TensorLimit.allocate(dtype, Shape.of(total));
    long[] places = new long[sparse.count()];
    int[] next = starts.clone();
    for (int i = 0; i < places.length; i++) {
      int at = next[(int) sparse.index(i, 0)]++;
      places[i] = at;
      for (int axis = 0; axis < rank; axis++) {
        indices[at * rank + axis] = sparse.index(i, axis);
      }
      dtype.kind().copy(sparse.values().array(), sparse.values().offset() + i, values, at, 1);
    }
    for (int row = 0; row < empty.length; row++) {
      if (empty[row] != 0) {
        indices[starts[row] * rank] = row;
        dtype.kind().copy(defaultValue.array(), defaultValue.offset(), values, starts[row], 1);
      }
    }
    call.setOutput(0, Tensor.of(DataType.INT64, indexShape, indices));
    call.setOutput(1, Tensor.of(dtype, Shape.of(total), values));
    call.setOutput(3, Tensor.vector(places));
  }

  private static List<Shape> reduceRule(ShapeRule.Inputs in) {
    Tensor sizes = in.constant(2);
    Tensor axes = in.constant(3);
    boolean keep = in.attrs().bool("keep_dims");
    if (sizes == null || axes == null) {
      int rank = in.shape(2).rank() == 1 ? (int) in.shape(2).size(0) : -1;
      return List.of(keep && rank >= 0 ? Shapes.ofRank(rank) : Shape.UNKNOWN);
    }
    return List.of(reduced(sizes.integers(), axes, keep));
  }

  private static Shape reduced(long[] sizes, Tensor axes, boolean keep) {
    boolean[] reduced = reducedAxes(sizes.length, axes);
    List<Long> left = new ArrayList<>();
    for (int axis = 0; axis < sizes.length; axis++) {
      if (!reduced[axis]) {
        left.add(sizes[axis]);
      } else if (keep) {
        left.add(1L);
      }
    }
    return Shape.of(left.stream().mapToLong(Long::longValue).toArray());
  }

  /** Which dimensions are reduced. */
  private static boolean[] reducedAxes(int rank, Tensor axes) {
    boolean[] reduced = new boolean[rank];
    for (int i = 0; i < axes.elements(); i++) {
      Integer axis = Shapes.axis(axes.integer(i), rank);
      if (axis == null) {
        throw invalidArgument(
            "Invalid reduction dimension %d, for input with %d dimensions.", axes.integer(i), rank);
      }
      reduced[axis] = true;
    }
    return reduced;
  }

  private static void reduceSum(KernelCall call, boolean keep) {
    SparseInput sparse = SparseInput.of(call, 0);
    Tensor axes = call.input(3);
    boolean[] reduced = reducedAxes(sparse.rank(), axes);
    Shape shape = reduced(sparse.shape().integers(), axes, keep);
    DataType dtype = sparse.values().dtype();
    Object sums = TensorLimit.allocate(dtype, shape);
    int[] order = sparse.order();
    for (int i : order) {
      if (!sparse.isWithin(i)) {
        throw invalidArgument(
            "indices[%d] = %s is out of bounds: need 0 <= index < %s",
            i, sparse.indexText(i), Shape.of(sparse.shape().integers()));
      }
      int at = 0;
      for (int axis = 0; axis < reduced.length; axis++) {
        at = reduced[axis] ? at : at * (int) sparse.size(axis) + (int) sparse.index(i, axis);
      }
      Tensor values = sparse.values();
      Combining.ADD.into(dtype, sums, at, values.array(), values.offset() + i, 1);
    }
    call.setOutput(0, Tensor.of(dtype, shape, sums));
  }

  private static List<Shape> matMulRule(ShapeRule.Inputs in) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 1);
    Shape a = Shapes.withRank(Shapes.fromSizes(in, 2), 2);
    Shape b = Shapes.withRank(in.shape(3), 2);
    boolean adjointA = in.attrs().bool("adjoint_a");
    boolean adjointB = in.attrs().bool("adjoint_b");
    Shapes.mergeSize(a.size(adjointA ? 0 : 1), b.size(adjointB ? 1 : 0));
    return List.of(Shape.of(a.size(adjointA ? 1 : 0), b.size(adjointB ? 0 : 1)));
  }

  /** The product of a sparse matrix and a dense one. */
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
        int fromB = b.offset() + (int) k * (adjointB ? 1 : columns);
        add(values, i, b.array(), fromB, stepB, product, (int) row * columns, columns);
      }
      call.setOutput(0, Tensor.of(values.dtype(), shape, product));
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
      int from = values.offset() + i;
      switch (out) {
        case float[] sums -> {
          float value = ((float[]) values.array())[from];
          for (int n = 0; n < columns; n++) {
            sums[at + n] += value * ((float[]) b)[fromB + n * stepB];
          }
        }
        case double[] sums -> {
          double value = ((double[]) values.array())[from];
          for (int n = 0; n < columns; n++) {
            sums[at + n] += value * ((double[]) b)[fromB + n * stepB];
          }
        }
        case int[] sums -> {
          int value = ((int[]) values.array())[from];
          for (int n = 0; n < columns; n++) {
            sums[at + n] += value * ((int[]) b)[fromB + n * stepB];
          }
        }
        default -> throw new AssertionError(out.getClass());
      }
    }
  }
}

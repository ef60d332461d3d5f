package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/** SparseAdd, the sum of two sparse tensors, and its gradient. */
final class SparseAddOps {
  private static final String TYPES = "T: {float, double, int8, int16, int32, int64, complex}";

  private SparseAddOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseAdd(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64,"
                    + " b_values: T, b_shape: int64, thresh: Treal) -> (sum_indices: int64,"
                    + " sum_values: T, sum_shape: int64)")
            .attrs(TYPES, "Treal: {float, double, int8, int16, int32, int64}")
            .shape(SparseAddOps::addRule)
            .stateless(SparseAddOps::add),
        Op.define(
                "SparseAddGrad(backprop_val_grad: T, a_indices: int64, b_indices: int64,"
                    + " sum_indices: int64) -> (a_val_grad: T, b_val_grad: T)")
            .attrs(TYPES)
            .shape(in ->
                List.of(
                    Shape.of(Shapes.withRank(in.shape(1), 2).size(0)),
                    Shape.of(Shapes.withRank(in.shape(2), 2).size(0))))
            .stateless(SparseAddOps::addGradient));
  }

  private static List<Shape> addRule(ShapeFunction.Inputs in) {
    Shape shape = Shapes.withRank(in.shape(2), 1);
    return List.of(Shape.of(Shape.UNKNOWN_DIMENSION, shape.size(0)), Shapes.ofRank(1), shape);
  }

  private static void add(KernelCall call) {
    SparseUnion union = SparseUnion.of(call);
    Tensor thresh = call.input(6);
    if (thresh.shape().rank() != 0) {
      throw invalidArgument(
          "The magnitude threshold must be a scalar: got shape %s", thresh.shape());
    }
    DataType dtype = union.a().values().dtype();
    checkThreshold(dtype, thresh.dtype());
    Tensor sums = union.values(union.a());
    Tensor addends = union.values(union.b());
    Combiner.ADD.into(
        dtype, TensorMemory.array(sums), 0, TensorMemory.array(addends), 0, union.count());
    int[] kept = new int[union.count()];
    int count = 0;
    for (int i = 0; i < kept.length; i++) {
      boolean ofBoth = union.fromA()[i] >= 0 && union.fromB()[i] >= 0;
      if (!ofBoth || isAtLeast(sums, i, thresh)) {
        kept[count++] = i;
      }
    }
    int[] picked = Arrays.copyOf(kept, count);
    Tensor indices = union.indices(picked);
    call.setOutput(0, indices);
    call.setOutput(1, new SparseTensor(indices, sums, union.a().shape()).pickValues(picked));
    call.setOutput(2, union.a().shape());
  }

  private static void checkThreshold(DataType dtype, DataType thresh) {
    DataType expected =
        switch (dtype) {
          case COMPLEX64 -> DataType.FLOAT32;
          case COMPLEX128 -> DataType.FLOAT64;
          default -> dtype;
        };
    if (thresh != expected) {
      throw invalidArgument(
          "thresh of a sum of %s must be %s, and is %s",
          dtype.tfName(), expected.tfName(), thresh.tfName());
    }
  }

  /** Whether the magnitude of sum {@code i} is at least {@code thresh}; false of a NaN. */
  private static boolean isAtLeast(Tensor sums, int i, Tensor thresh) {
    DataType dtype = sums.dtype();
    int at = TensorMemory.offset(thresh);
    if (dtype.isInteger()) {
      long sum = NumericElements.integer(dtype, TensorMemory.array(sums), i);
      // The magnitude of the least int32 and int64 wraps to itself.
      long magnitude = dtype == DataType.INT32 ? Math.abs((int) sum) : Math.abs(sum);
      return NumericElements.integer(dtype, TensorMemory.array(thresh), at) <= magnitude;
    }
    double magnitude =
        switch (TensorMemory.array(sums)) {
          case float[] pairs when dtype == DataType.COMPLEX64 ->
              (float) Math.hypot(pairs[2 * i], pairs[2 * i + 1]);
          case double[] pairs when dtype == DataType.COMPLEX128 ->
              Math.hypot(pairs[2 * i], pairs[2 * i + 1]);
          default -> Math.abs(NumericElements.floating(dtype, TensorMemory.array(sums), i));
        };
    return NumericElements.floating(thresh.dtype(), TensorMemory.array(thresh), at) <= magnitude;
  }

  private static void addGradient(KernelCall call) {
    Tensor gradient = call.input(0);
    for (int i = 1; i < 4; i++) {
      if (call.input(i).shape().rank() != 2) {
        throw invalidArgument(
            "Inputs a_indices, b_indices and sum_indices should be matrices but received shapes:"
                + " %s, %s and %s",
            call.input(1).shape(), call.input(2).shape(), call.input(3).shape());
      }
    }
    if (gradient.shape().rank() != 1 || gradient.elements() != call.input(3).shape().size(0)) {
      throw invalidArgument(
          "# elements in backprop_val_grad and # rows in sum_indices do not match: got shapes %s"
              + " and %s",
          gradient.shape(), call.input(3).shape());
    }
    long width = call.input(3).shape().size(1);
    if (call.input(1).shape().size(1) != width || call.input(2).shape().size(1) != width) {
      throw invalidArgument(
          "The densified operands should have the same ndims: got shapes %s, %s and %s",
          call.input(1).shape(), call.input(2).shape(), call.input(3).shape());
    }
    // Of a sparse tensor's shape, only the number of dimensions counts here.
    Shape ranks = Shape.of(width);
    Tensor shape = Tensor.wrap(DataType.INT64, ranks, TensorLimit.allocate(DataType.INT64, ranks));
    SparseTensor sum = new SparseTensor(call.input(3), gradient, shape);
    GradientOperand a = new GradientOperand(call.input(1), sum);
    GradientOperand b = new GradientOperand(call.input(2), sum);
    int k = 0;
    while (k < gradient.elements() && (a.hasNext() || b.hasNext())) {
      // Both go on before the sum does, so that repeated indices are met as in TensorFlow.
      boolean first = a.reaches(k);
      boolean second = b.reaches(k);
      k += first && second ? 1 : 0;
    }
    call.setOutput(0, a.result());
    call.setOutput(1, b.result());
  }

  /** An operand of the sum: the gradient at each of its indices; 0 where the sum lacks it. */
  private static final class GradientOperand {
    private final SparseTensor operand;
    private final SparseTensor sum;
    private final Tensor gradient;
    private final int count;
    private final Object array;
    private int at;

    /**
     * @param indices the operand's indices
     * @param sum the sum's indices, with the gradients of its values
     */
    GradientOperand(Tensor indices, SparseTensor sum) {
      this.gradient = sum.values();
      this.operand = new SparseTensor(indices, gradient, sum.shape());
      this.sum = sum;
      this.count = (int) indices.shape().size(0);
      this.array = TensorLimit.allocate(gradient.dtype(), Shape.of(count));
    }

    boolean hasNext() {
      return at < count;
    }

    /** Takes the gradient of index {@code k} of the sum; false if the next one is before it. */
    boolean reaches(int k) {
      int order = hasNext() ? SparseUnion.compare(operand, at, sum, k) : 1;
      if (order == 0) {
        int from = TensorMemory.offset(gradient) + k;
        gradient.dtype().kind().copy(TensorMemory.array(gradient), from, array, at, 1);
      }
      at += order <= 0 ? 1 : 0;
      return order >= 0;
    }

    Tensor result() {
      return Tensor.wrap(gradient.dtype(), Shape.of(count), array);
    }
  }
}

package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * The IsotonicRegression op: for each line of a tensor, the numbers that do not increase and are
 * nearest to it, in segments of equal ones, by pooling adjacent violators (J. Kruskal, "Nonmetric
 * Multidimensional Scaling: A Numerical Method", 1964).
 */
final class IsotonicRegressionOps {
  private IsotonicRegressionOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("IsotonicRegression(input: T) -> (output: output_dtype, segments: int32)")
            .attrs(
                "T: {float, double, int32, int16, int8, int64, bfloat16, half}",
                "output_dtype: {half, bfloat16, float, double} = float")
            .shape(in -> List.of(in.shape(0), in.shape(0)))
            .kernel(IsotonicRegressionOps::kernel));
  }

  private static Kernel.Sync kernel(NodeSpec node) {
    DataType in = node.inputTypes().getFirst();
    DataType out = node.outputTypes().getFirst();
    if (out != resultOf(in)) {
      throw invalidArgument(
          "IsotonicRegression of %s has the output_dtype %s, and not %s",
          in.tfName(), resultOf(in).tfName(), out.tfName());
    }
    return call -> compute(call, out);
  }

  private static DataType resultOf(DataType in) {
    return switch (in) {
      case INT8, INT16 -> DataType.FLOAT32;
      case INT32, INT64 -> DataType.FLOAT64;
      default -> in;
    };
  }

  private static void compute(KernelCall call, DataType dtype) {
    Tensor input = call.input(0);
    Shape shape = input.shape();
    Object result = TensorLimit.allocate(dtype, shape);
    int[] segments = (int[]) TensorLimit.allocate(DataType.INT32, shape);
    if (shape.elements() > 0) {
      int width = shape.rank() == 0 ? 1 : (int) shape.size(shape.rank() - 1);
      Line line = new Line(input, dtype, width);
      for (int from = 0; from < shape.elements(); from += width) {
        call.cancellation().check();
        line.fit(from);
        line.write(from, result, segments);
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, result));
    call.setOutput(1, Tensor.wrap(DataType.INT32, shape, segments));
  }

  /** The segments of one line after the other. */
  private static final class Line {
    private final Tensor input;
    private final Object array;
    private final DataType dtype;
    private final int width;

    /** The end, the sum and the mean of each segment. */
    private final int[] ends;

    private final double[] sums;
    private final double[] means;
    private int count;

    Line(Tensor input, DataType dtype, int width) {
      this.input = input;
      this.array = TensorMemory.array(input);
      this.dtype = dtype;
      this.width = width;
      this.ends = new int[width];
      this.sums = new double[width];
      this.means = new double[width];
    }

    void fit(int from) {
      count = 0;
      for (int i = 0; i < width; i++) {
        int at = TensorMemory.offset(input) + from + i;
        double value = round(NumericElements.real(input.dtype(), array, at));
        ends[count] = i + 1;
        sums[count] = value;
        means[count] = value;
        count++;
        while (count > 1 && means[count - 1] > means[count - 2]) {
          mergeLast();
        }
      }
    }

    private void mergeLast() {
      count--;
      int before = count > 1 ? ends[count - 2] : 0;
      ends[count - 1] = ends[count];
      sums[count - 1] = round(sums[count - 1] + sums[count]);
      means[count - 1] = round(sums[count - 1] / round(ends[count - 1] - before));
    }

    void write(int from, Object result, int[] segments) {
      int i = 0;
      for (int segment = 0; segment < count; segment++) {
        for (; i < ends[segment]; i++) {
          NumericElements.setFloating(dtype, result, from + i, means[segment]);
          segments[from + i] = segment;
        }
      }
    }

    /** {@code x} in the precision of the result, in which TensorFlow adds and divides. */
    private double round(double x) {
      return switch (dtype) {
        case FLOAT16, BFLOAT16 ->
            NumericElements.half(dtype, NumericElements.toHalf(dtype, (float) x));
        case FLOAT32 -> (float) x;
        default -> x;
      };
    }
  }
}

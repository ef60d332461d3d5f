package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * The ops LRN and LRNGrad, local response normalization (Krizhevsky et al., 2012): each element is
 * divided by (bias + alpha * the sum of the squares of the neighbouring channels) ^ beta.
 */
final class LrnOps {
  private static final String[] ATTRS = {
    "depth_radius: int = 5",
    "bias: float = 1.0",
    "alpha: float = 1.0",
    "beta: float = 0.5",
    "T: {half, float} = float"
  };

  private final int radius;
  private final double bias;
  private final double alpha;
  private final double beta;

  private LrnOps(Attrs attrs) {
    this.radius = radius(attrs.integer("depth_radius"));
    this.bias = rounded(attrs, "bias");
    this.alpha = rounded(attrs, "alpha");
    this.beta = rounded(attrs, "beta");
  }

  static List<Op> ops() {
    return List.of(
        Op.define("LRN(input: T) -> output: T")
            .attrs(ATTRS)
            .shape(in -> List.of(Shapes.withRank(in.shape(0), 4)))
            .remark("Computed in double precision and rounded once.")
            .kernel(node -> {
              LrnOps rule = new LrnOps(node.attrs());
              return call -> call.setOutput(0, rule.normalized(call));
            }),
        Op.define("LRNGrad(input_grads: T, input_image: T, output_image: T) -> output: T")
            .attrs(ATTRS)
            .shape(in ->
                List.of(
                    Shapes.withRank(
                        Shapes.merge(Shapes.merge(in.shape(0), in.shape(1)), in.shape(2)), 4)))
            .remark("Computed in double precision and rounded once.")
            .kernel(node -> {
              LrnOps rule = new LrnOps(node.attrs());
              return call -> call.setOutput(0, rule.gradient(call));
            }));
  }

  private static int radius(long radius) {
    if (radius < 0 || radius >= Integer.MAX_VALUE) {
      throw invalidArgument("depth_radius = %d larger than int max", radius);
    }
    return (int) radius;
  }

  /** A float attr, rounded to the dtype of the images. */
  private static double rounded(Attrs attrs, String name) {
    float value = attrs.floating(name);
    DataType dtype = attrs.type("T");
    return dtype == DataType.FLOAT32
        ? value
        : NumericElements.half(dtype, NumericElements.toHalf(dtype, value));
  }

  private static void check(Tensor images) {
    if (images.shape().rank() != 4) {
      throw invalidArgument("in must be 4-dimensional: %s", images.shape());
    }
  }

  private Tensor normalized(KernelCall call) {
    Tensor images = call.input(0);
    check(images);
    DataType dtype = images.dtype();
    Object out = TensorLimit.allocate(dtype, images.shape());
    int channels = (int) images.shape().size(3);
    double[] x = new double[channels];
    for (int at = 0; at < images.elements(); at += channels) {
      call.cancellation().check();
      read(images, at, x);
      double[] norms = norms(x);
      for (int c = 0; c < channels; c++) {
        NumericElements.setFloating(dtype, out, at + c, x[c] * Math.pow(norms[c], -beta));
      }
    }
    return Tensor.wrap(dtype, images.shape(), out);
  }

  private static void read(Tensor tensor, int at, double[] pixel) {
    for (int c = 0; c < pixel.length; c++) {
      pixel[c] =
          NumericElements.floating(
              tensor.dtype(), TensorMemory.array(tensor), TensorMemory.offset(tensor) + at + c);
    }
  }

  /** The divisors of the channels of a pixel, before they are raised to beta. */
  private double[] norms(double[] x) {
    double[] norms = new double[x.length];
    for (int c = 0; c < x.length; c++) {
      double sum = 0;
      for (int i = first(c); i < end(c, x.length); i++) {
        sum += x[i] * x[i];
      }
      norms[c] = bias + alpha * sum;
    }
    return norms;
  }

  private int first(int channel) {
    return Math.max(0, channel - radius);
  }

  private int end(int channel, int channels) {
    return (int) Math.min(channels, (long) channel + radius + 1);
  }

  private Tensor gradient(KernelCall call) {
    Tensor gradient = call.input(0);
    Tensor images = call.input(1);
    Tensor result = call.input(2);
    check(images);
    Shape shape = images.shape();
    if (!gradient.shape().equals(shape) || !result.shape().equals(shape)) {
      throw invalidArgument(
          "input_grads, input_image, and out_image should have the same shape: %s, %s and %s",
          gradient.shape(), shape, result.shape());
    }
    DataType dtype = images.dtype();
    Object out = TensorLimit.allocate(dtype, shape);
    int channels = (int) shape.size(3);
    double[] dy = new double[channels];
    double[] x = new double[channels];
    double[] y = new double[channels];
    for (int at = 0; at < images.elements(); at += channels) {
      call.cancellation().check();
      read(gradient, at, dy);
      read(images, at, x);
      read(result, at, y);
      double[] dx = gradient(dy, x, y);
      for (int c = 0; c < channels; c++) {
        NumericElements.setFloating(dtype, out, at + c, dx[c]);
      }
    }
    return Tensor.wrap(dtype, shape, out);
  }

  private double[] gradient(double[] dy, double[] x, double[] y) {
    double[] norms = norms(x);
    double[] dx = new double[x.length];
    for (int c = 0; c < x.length; c++) {
      for (int i = first(c); i < end(c, x.length); i++) {
        dx[i] -= 2 * alpha * beta * x[i] * y[c] / norms[c] * dy[c];
      }
      dx[c] += Math.pow(norms[c], -beta) * dy[c];
    }
    return dx;
  }
}

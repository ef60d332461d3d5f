package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ResamplingKernel;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.List;

/** ScaleAndTranslate: resamples images by a {@link SamplingKernel}, rows first, then columns. */
final class ScaleAndTranslateOps implements ResamplingKernel {
  private final SamplingKernel kernel;
  private final boolean antialias;

  private ScaleAndTranslateOps(NodeSpec node) {
    this.kernel = SamplingKernel.ofText(node.attrs().string("kernel_type"));
    this.antialias = node.attrs().bool("antialias");
  }

  static List<Op> ops() {
    return List.of(
        Op.define(
                "ScaleAndTranslate(images: T, size: int32, scale: float, translation: float)"
                    + " -> resized_images: float")
            .attrs(
                "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}",
                "kernel_type: string = \"lanczos3\"",
                "antialias: bool = true")
            .shape(ScaleAndTranslateOps::infer)
            .runsOnGpu("size", "scale", "translation")
            .kernel(ScaleAndTranslateOps::new));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 4);
    Shapes.mergeSize(Shapes.withRank(in.shape(2), 1).size(0), 2);
    Shapes.mergeSize(Shapes.withRank(in.shape(3), 1).size(0), 2);
    return ResizeGrid.infer(in);
  }

  /** The output's shape, and the samples along both axes. */
  private record Plan(Shape result, SampleSpans rows, SampleSpans columns) {}

  private Plan plan(KernelCall call) {
    Tensor size = call.input(1);
    Shape shape = call.input(0).shape();
    check(shape, size);
    float[] scale = scale(call.input(2));
    float[] translation = pair(call.input(3));
    int toHeight = (int) size.integer(0);
    int toWidth = (int) size.integer(1);
    int height = (int) shape.size(1);
    int width = (int) shape.size(2);
    return new Plan(
        Shape.of(shape.size(0), toHeight, toWidth, shape.size(3)),
        SampleSpans.of(kernel, height, toHeight, scale[0], translation[0], antialias),
        SampleSpans.of(kernel, width, toWidth, scale[1], translation[1], antialias));
  }

  @Override
  public Resampling resampling(KernelCall call) {
    Plan plan = plan(call);
    return new Resampling(plan.result, plan.rows.taps(), plan.columns.taps());
  }

  @Override
  public void compute(KernelCall call) {
    Tensor images = call.input(0);
    Plan plan = plan(call);
    Shape shape = images.shape();
    int height = (int) shape.size(1);
    int channels = (int) shape.size(3);
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, plan.result);
    float[] in = ImageFloats.of(images);
    int lineSize = (int) shape.size(2) * channels;
    int at = 0;
    for (int b = 0; b < shape.size(0); b++) {
      float[][] lines = ImageFloats.lines(in, b * height * lineSize, height, lineSize);
      at = resample(lines, plan.rows, plan.columns, channels, out, at, call.cancellation());
    }
    call.setOutput(0, Tensor.wrap(DataType.FLOAT32, plan.result, out));
  }

  private static void check(Shape images, Tensor size) {
    if (images.rank() != 4) {
      throw invalidArgument("input must be 4-dimensional%s", images);
    }
    if (size.shape().rank() != 1) {
      throw invalidArgument("output_shape_t must be 1-dimensional%s", size.shape());
    }
    if (size.elements() != 2) {
      throw invalidArgument("output_shape_t must have two elements%s", size.shape());
    }
    if (size.integer(0) <= 0 || size.integer(1) <= 0) {
      throw invalidArgument("output dimensions must be positive");
    }
    if (images.size(3) <= 0) {
      throw invalidArgument("image must have at least one channel");
    }
    if (images.size(1) <= 0 || images.size(2) <= 0) {
      throw invalidArgument("input image must be of non-zero size");
    }
  }

  /** The two numbers of {@code values}, a vector; INVALID_ARGUMENT if it is none. */
  static float[] pair(Tensor values) {
    if (values.shape().rank() != 1) {
      throw invalidArgument("t must be 1-dimensional%s", values.shape());
    }
    if (values.elements() != 2) {
      throw invalidArgument("t must have two elements%s", values.shape());
    }
    return values.floats();
  }

  /** The scales of rows and columns; INVALID_ARGUMENT unless they are positive. */
  static float[] scale(Tensor values) {
    float[] scale = pair(values);
    if (!(scale[0] > 0 && scale[1] > 0)) {
      throw invalidArgument("Scale must be greater than zero.");
    }
    return scale;
  }

  /**
   * Resamples an image of {@code lines} into {@code out}, from {@code from} on; returns the index
   * after it.
   */
  static int resample(
      float[][] lines,
      SampleSpans rows,
      SampleSpans columns,
      int channels,
      float[] out,
      int from,
      Cancellation stop) {
    float[] line = new float[lines[0].length];
    int at = from;
    for (int y = 0; y < rows.starts.length; y++) {
      stop.check();
      Arrays.fill(line, 0);
      for (int i = 0; i < rows.weights[y].length; i++) {
        addMultiple(lines[rows.starts[y] + i], rows.weights[y][i], line);
      }
      for (int x = 0; x < columns.starts.length; x++) {
        addWeighted(line, columns.starts[x] * channels, columns.weights[x], channels, out, at);
        at += channels;
      }
    }
    return at;
  }

  private static void addMultiple(float[] line, float weight, float[] sums) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += weight * line[i];
    }
  }

  private static void addWeighted(
      float[] line, int start, float[] weights, int channels, float[] out, int at) {
    for (int i = 0; i < weights.length; i++) {
      for (int c = 0; c < channels; c++) {
        out[at + c] += weights[i] * line[start + i * channels + c];
      }
    }
  }
}

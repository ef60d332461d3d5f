package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** ScaleAndTranslateGrad: resamples gradients by the transposed weights of the forward op. */
final class ScaleAndTranslateGradientOps {
  private ScaleAndTranslateGradientOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "ScaleAndTranslateGrad(grads: T, original_image: T, scale: float,"
                    + " translation: float) -> output: T")
            .attrs("T: {float}", "kernel_type: string = \"lanczos3\"", "antialias: bool = true")
            .shape(in -> List.of(in.shape(1)))
            .kernel(node -> {
              SamplingKernel kernel = SamplingKernel.ofText(node.attrs().string("kernel_type"));
              boolean antialias = node.attrs().bool("antialias");
              return call -> call.setOutput(0, gradient(call, kernel, antialias));
            }));
  }

  private static Tensor gradient(KernelCall call, SamplingKernel kernel, boolean antialias) {
    Shape resized = call.input(0).shape();
    Shape original = call.input(1).shape();
    if (resized.rank() != 4) {
      throw invalidArgument("input_grad must be 4-dimensional%s", resized);
    }
    if (original.rank() != 4) {
      throw invalidArgument("original_image must be 4-dimensional%s", original);
    }
    Shape result = Shape.of(resized.size(0), original.size(1), original.size(2), resized.size(3));
    float[] sums = (float[]) TensorLimit.allocate(DataType.FLOAT32, result);
    float[] scale = ScaleAndTranslateOps.scale(call.input(2));
    float[] translation = ScaleAndTranslateOps.pair(call.input(3));
    if (sums.length > 0 && resized.elements() > 0) {
      SampleSpans[] spans = new SampleSpans[2];
      for (int i = 0; i < spans.length; i++) {
        int in = (int) original.size(i + 1);
        int out = (int) resized.size(i + 1);
        spans[i] =
            SampleSpans.of(kernel, in, out, scale[i], translation[i], antialias).transposed(in);
      }
      gather(call, spans[0], spans[1], sums);
    }
    return Tensor.wrap(DataType.FLOAT32, result, sums);
  }

  private static void gather(KernelCall call, SampleSpans rows, SampleSpans columns, float[] sums) {
    Shape shape = call.input(0).shape();
    float[] gradients = ImageFloats.of(call.input(0));
    int height = (int) shape.size(1);
    int channels = (int) shape.size(3);
    int lineSize = (int) shape.size(2) * channels;
    int at = 0;
    for (int b = 0; b < shape.size(0); b++) {
      float[][] lines = ImageFloats.lines(gradients, b * height * lineSize, height, lineSize);
      at =
          ScaleAndTranslateOps.resample(
              lines, rows, columns, channels, sums, at, call.cancellation());
    }
  }
}

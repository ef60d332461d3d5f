package io.headrace.kernels.image;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** ResizeBicubicGrad: each output pixel's gradient goes to the 4 by 4 pixels that it came from. */
final class ResizeBicubicGradientOps {
  private ResizeBicubicGradientOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ResizeBicubicGrad(grads: float, original_image: T) -> output: T")
            .attrs(
                "T: {float, double}",
                "align_corners: bool = false",
                "half_pixel_centers: bool = false")
            .shape(in -> List.of(in.shape(1)))
            .kernel(node -> call -> call.setOutput(0, gradient(call, node.attrs()))));
  }

  private static Tensor gradient(KernelCall call, Attrs attrs) {
    Shape resized = call.input(0).shape();
    Shape original = call.input(1).shape();
    ResizeGradientOps.check(resized, original, attrs);
    DataType dtype = call.input(1).dtype();
    Shape result = Shape.of(resized.size(0), original.size(1), original.size(2), resized.size(3));
    Object sums = TensorLimit.allocate(dtype, result);
    if (!ResizeGradientOps.areEmpty(resized, result)) {
      addAll(call, attrs, sums);
    }
    return Tensor.wrap(dtype, result, sums);
  }

  private static void addAll(KernelCall call, Attrs attrs, Object sums) {
    Shape resized = call.input(0).shape();
    Shape original = call.input(1).shape();
    float[] gradients = call.input(0).floats();
    CubicWeights rows = weights(original, resized, 1, attrs);
    CubicWeights columns = weights(original, resized, 2, attrs);
    int channels = (int) resized.size(3);
    int at = 0;
    for (int b = 0; b < resized.size(0); b++) {
      for (int y = 0; y < resized.size(1); y++) {
        call.cancellation().check();
        for (int x = 0; x < resized.size(2); x++) {
          for (int tap = 0; tap < CubicWeights.TAPS; tap++) {
            int row = b * (int) original.size(1) + rows.index(y, tap);
            int line = row * (int) original.size(2);
            for (int k = 0; k < CubicWeights.TAPS; k++) {
              int to = (line + columns.index(x, k)) * channels;
              add(sums, to, gradients, at, channels, rows.weight(y, tap), columns.weight(x, k));
            }
          }
          at += channels;
        }
      }
    }
  }

  private static CubicWeights weights(Shape original, Shape resized, int axis, Attrs attrs) {
    int in = (int) original.size(axis);
    int out = (int) resized.size(axis);
    float scale = ResizeGrid.scale(in, out, attrs.bool("align_corners"));
    return CubicWeights.of(in, out, scale, attrs.bool("half_pixel_centers"));
  }

  private static void add(
      Object sums, int to, float[] gradients, int at, int channels, float down, float across) {
    switch (sums) {
      case float[] a -> {
        for (int c = 0; c < channels; c++) {
          a[to + c] += gradients[at + c] * down * across;
        }
      }
      case double[] a -> {
        for (int c = 0; c < channels; c++) {
          a[to + c] += (double) gradients[at + c] * down * across;
        }
      }
      default -> throw new AssertionError(sums.getClass());
    }
  }
}

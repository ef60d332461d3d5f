package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** ResizeBilinearGrad and ResizeNearestNeighborGrad: the gradients of resized images. */
final class ResizeGradientOps {
  private static final String ALIGN = "align_corners: bool = false";
  private static final String CENTERS = "half_pixel_centers: bool = false";

  private ResizeGradientOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ResizeBilinearGrad(grads: float, original_image: T) -> output: T")
            .attrs("T: {float, bfloat16, half, double}", ALIGN, CENTERS)
            .shape(in -> List.of(in.shape(1)))
            .remark("Weights of pixels are floats, whose last bits may differ.")
            .kernel(node -> call -> call.setOutput(0, bilinear(call, node.attrs()))),
        Op.define("ResizeNearestNeighborGrad(grads: T, size: int32) -> output: T")
            .attrs("T: {uint8, int8, int32, half, float, double, bfloat16}", ALIGN, CENTERS)
            .shape(ResizeGradientOps::inferNearest)
            .kernel(node -> call -> call.setOutput(0, nearest(call, node.attrs()))));
  }

  private static List<Shape> inferNearest(ShapeFunction.Inputs in) {
    Shape gradients = Shapes.withRank(in.shape(0), 4);
    Shapes.mergeSize(Shapes.withRank(in.shape(1), 1).size(0), 2);
    @Nullable Tensor size = in.constant(1);
    Shape result = Shapes.withSize(gradients, 1, size == null ? -1 : size.integer(0));
    return List.of(Shapes.withSize(result, 2, size == null ? -1 : size.integer(1)));
  }

  /** INVALID_ARGUMENT unless images of {@code original} can have been resized to the gradients'. */
  static void check(Shape gradients, Shape original, Attrs attrs) {
    if (attrs.bool("half_pixel_centers") && attrs.bool("align_corners")) {
      throw invalidArgument("If half_pixel_centers is True, align_corners must be False.");
    }
    if (gradients.rank() != 4) {
      throw invalidArgument("input_grad must be 4-dimensional%s", gradients);
    }
    if (gradients.size(1) <= 0 || gradients.size(2) <= 0) {
      throw invalidArgument("resized dimensions must be positive");
    }
    if (original.rank() != 4) {
      throw invalidArgument("original_image must be 4-dimensional%s", original);
    }
    if (original.size(1) <= 0 || original.size(2) <= 0) {
      throw invalidArgument("original dimensions must be positive");
    }
    if (Math.max(original.size(1), original.size(2)) >= Integer.MAX_VALUE) {
      throw invalidArgument("original sizes must be between 0 and max int32");
    }
  }

  /**
   * Whether there is nothing to add up; the other sizes of an empty shape may be larger than any
   * table.
   */
  static boolean areEmpty(Shape gradients, Shape result) {
    return gradients.elements() == 0 || result.elements() == 0;
  }

  private static Tensor bilinear(KernelCall call, Attrs attrs) {
    DataType dtype = call.input(1).dtype();
    Shape resized = call.input(0).shape();
    Shape original = call.input(1).shape();
    check(resized, original, attrs);
    Shape result = Shape.of(resized.size(0), original.size(1), original.size(2), resized.size(3));
    // 16-bit floats are added up as floats and rounded once.
    DataType sumType = dtype == DataType.FLOAT64 ? DataType.FLOAT64 : DataType.FLOAT32;
    Object sums = TensorLimit.allocate(sumType, result);
    if (!areEmpty(resized, result)) {
      addBilinear(call, attrs, sums);
    }
    return Tensor.wrap(dtype, result, rounded(sums, dtype, result));
  }

  private static void addBilinear(KernelCall call, Attrs attrs, Object sums) {
    Shape resized = call.input(0).shape();
    Shape original = call.input(1).shape();
    int channels = (int) resized.size(3);
    ResizeBilinearOps.Weights rows = weights(original, resized, 1, attrs);
    ResizeBilinearOps.Weights columns = weights(original, resized, 2, attrs);
    float[] in = call.input(0).floats();
    int at = 0;
    for (int b = 0; b < resized.size(0); b++) {
      call.cancellation().check();
      for (int y = 0; y < resized.size(1); y++) {
        int top = (int) ((b * original.size(1) + rows.lower[y]) * original.size(2));
        int bottom = (int) ((b * original.size(1) + rows.upper[y]) * original.size(2));
        float down = rows.fraction[y];
        for (int x = 0; x < resized.size(2); x++) {
          float across = columns.fraction[x];
          for (int c = 0; c < channels; c++) {
            int left = columns.lower[x] * channels + c;
            int right = columns.upper[x] * channels + c;
            float upper = in[at] * (1 - down);
            float lower = in[at] * down;
            add(sums, top * channels + left, upper * (1 - across));
            add(sums, top * channels + right, upper * across);
            add(sums, bottom * channels + left, lower * (1 - across));
            add(sums, bottom * channels + right, lower * across);
            at++;
          }
        }
      }
    }
  }

  private static ResizeBilinearOps.Weights weights(
      Shape original, Shape resized, int axis, Attrs attrs) {
    int in = (int) original.size(axis);
    int out = (int) resized.size(axis);
    float scale = ResizeGrid.scale(in, out, attrs.bool("align_corners"));
    return ResizeBilinearOps.weights(in, out, scale, attrs.bool("half_pixel_centers"));
  }

  private static void add(Object sums, int at, float term) {
    switch (sums) {
      case float[] a -> a[at] += term;
      case double[] a -> a[at] += term;
      default -> throw new AssertionError(sums.getClass());
    }
  }

  private static Object rounded(Object sums, DataType dtype, Shape shape) {
    if (dtype == DataType.FLOAT32 || dtype == DataType.FLOAT64) {
      return sums;
    }
    float[] wide = (float[]) sums;
    Object out = TensorLimit.allocate(dtype, shape);
    for (int i = 0; i < wide.length; i++) {
      NumericElements.setFloating(dtype, out, i, wide[i]);
    }
    return out;
  }

  private static Tensor nearest(KernelCall call, Attrs attrs) {
    Tensor gradients = call.input(0);
    Tensor size = call.input(1);
    Shape resized = gradients.shape();
    if (resized.rank() != 4) {
      throw invalidArgument("input must be 4-dimensional%s", resized);
    }
    if (size.shape().rank() != 1) {
      throw invalidArgument("shape_t must be 1-dimensional%s", size.shape());
    }
    if (size.elements() != 2) {
      throw invalidArgument("shape_t must have two elements%s", size.shape());
    }
    if (size.integer(0) <= 0 || size.integer(1) <= 0) {
      throw invalidArgument("shape_t's elements must be positive");
    }
    Shape result = Shape.of(resized.size(0), size.integer(0), size.integer(1), resized.size(3));
    Object sums = TensorLimit.allocate(gradients.dtype(), result);
    if (!areEmpty(resized, result)) {
      addNearest(call, attrs, sums, result);
    }
    return Tensor.wrap(gradients.dtype(), result, sums);
  }

  private static void addNearest(KernelCall call, Attrs attrs, Object sums, Shape result) {
    Tensor gradients = call.input(0);
    Shape resized = gradients.shape();
    int channels = (int) resized.size(3);
    int[] rows = nearest(result, resized, 1, attrs);
    int[] columns = nearest(result, resized, 2, attrs);
    int from = TensorMemory.offset(gradients);
    for (int b = 0; b < resized.size(0); b++) {
      call.cancellation().check();
      for (int row : rows) {
        for (int column : columns) {
          int to = (int) (((b * result.size(1) + row) * result.size(2) + column) * channels);
          Combiner.ADD.into(
              gradients.dtype(), sums, to, TensorMemory.array(gradients), from, channels);
          from += channels;
        }
      }
    }
  }

  private static int[] nearest(Shape original, Shape resized, int axis, Attrs attrs) {
    int in = (int) original.size(axis);
    int out = (int) resized.size(axis);
    float scale = ResizeGrid.scale(in, out, attrs.bool("align_corners"));
    return ResizeNearestNeighborOps.nearest(in, out, scale, attrs);
  }
}

package io.headrace.kernels.image;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The geometry of a resize: sizes and scale factors (input pixels per output pixel), validated from
 * the inputs and attrs that the resize ops share. Coordinates count from pixel centers ({@code
 * half_pixel_centers}), from aligned corners ({@code align_corners}), or by TensorFlow's legacy
 * rule from unaligned corners.
 */
record ResizeGrid(
    int batch,
    int inHeight,
    int inWidth,
    int outHeight,
    int outWidth,
    int channels,
    float heightScale,
    float widthScale) {
  static ResizeGrid of(Tensor images, Tensor size, Attrs attrs) {
    boolean alignCorners = attrs.bool("align_corners");
    boolean halfPixelCenters = attrs.has("half_pixel_centers") && attrs.bool("half_pixel_centers");
    if (halfPixelCenters && alignCorners) {
      throw StatusException.invalidArgument(
          "If half_pixel_centers is True, align_corners must be False.");
    }
    Shape shape = images.shape();
    check(shape, size);
    int outHeight = (int) size.integer(0);
    int outWidth = (int) size.integer(1);
    if (outHeight <= 0 || outWidth <= 0) {
      throw StatusException.invalidArgument("output dimensions must be positive");
    }
    int inHeight = (int) shape.size(1);
    int inWidth = (int) shape.size(2);
    return new ResizeGrid(
        (int) shape.size(0),
        inHeight,
        inWidth,
        outHeight,
        outWidth,
        (int) shape.size(3),
        scale(inHeight, outHeight, alignCorners),
        scale(inWidth, outWidth, alignCorners));
  }

  private static void check(Shape shape, Tensor size) {
    if (shape.rank() != 4) {
      throw StatusException.invalidArgument("input must be 4-dimensional%s", shape);
    }
    if (shape.size(3) <= 0) {
      throw StatusException.invalidArgument("image must have at least one channel");
    }
    if (shape.size(1) <= 0 || shape.size(2) <= 0) {
      throw StatusException.invalidArgument("input image must be of non-zero size");
    }
    if (size.shape().rank() != 1) {
      throw StatusException.invalidArgument("shape_t must be 1-dimensional%s", size.shape());
    }
    if (size.elements() != 2) {
      throw StatusException.invalidArgument("shape_t must have two elements%s", size.shape());
    }
  }

  /** Input pixels per output pixel along an axis; a single pixel has no corners to align. */
  static float scale(int in, int out, boolean alignCorners) {
    return alignCorners && out > 1 && in > 1 ? (in - 1) / (float) (out - 1) : in / (float) out;
  }

  Shape outShape() {
    return Shape.of(batch, outHeight, outWidth, channels);
  }

  /** The shape function of the resize ops: [batch, new height, new width, channels]. */
  static List<Shape> infer(ShapeFunction.Inputs inputs) {
    Shape images = inputs.shape(0);
    @Nullable Tensor size = inputs.constant(1);
    boolean known = images.rank() == 4;
    boolean sized = size != null && size.elements() == 2;
    return List.of(
        Shape.of(
            known ? images.size(0) : -1,
            sized && size != null ? size.integer(0) : -1,
            sized && size != null ? size.integer(1) : -1,
            known ? images.size(3) : -1));
  }
}

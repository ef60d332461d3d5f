package io.headrace.kernels.image;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Ops that decode, encode, resize, crop, warp and recolor images, and select and draw bounding
 * boxes.
 */
public final class ImageFamily {
  private ImageFamily() {}

  /**
   * The ops of this family.
   *
   * @param entropy seeds for the generators of nodes without seed attrs
   */
  public static List<Op> ops(LongSupplier entropy) {
    return Stream.of(
            AdjustColorOps.ops(),
            CombinedNonMaxSuppressionOps.ops(),
            CropAndResizeOps.ops(),
            CropAndResizeGradientOps.ops(),
            DecodeImageOps.ops(),
            DrawBoundingBoxesOps.ops(),
            SampleDistortedBoundingBoxOps.ops(entropy),
            EncodeImageOps.ops(),
            ExtractGlimpseOps.ops(entropy),
            ExtractJpegShapeOps.ops(),
            NonMaxSuppressionOps.ops(),
            ImageProjectiveTransformOps.ops(),
            ResizeAreaOps.ops(),
            ResizeBicubicGradientOps.ops(),
            ResizeBicubicOps.ops(),
            ResizeBilinearOps.ops(),
            ResizeGradientOps.ops(),
            ResizeNearestNeighborOps.ops(),
            RgbToHsvOps.ops(),
            ScaleAndTranslateGradientOps.ops(),
            ScaleAndTranslateOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

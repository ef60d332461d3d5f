package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;

/** Encodes an image outside of a graph, by the kernels of EncodePng and EncodeJpeg. */
public final class ImageEncoder {
  private ImageEncoder() {}

  /**
   * A uint8 image of 1 or 3 channels as a JPEG.
   *
   * @throws StatusException INVALID_ARGUMENT for another shape, dtype or quality
   */
  public static byte[] jpeg(Tensor image, int quality) {
    if (image.dtype() != DataType.UINT8) {
      throw invalidArgument("a JPEG is made of uint8, and the image is %s", image.typeAndShape());
    }
    return EncodeImageOps.jpeg(image, quality).string(0);
  }

  /**
   * A uint8 or uint16 image of 1 to 4 channels as a PNG.
   *
   * @throws StatusException INVALID_ARGUMENT for another shape or dtype
   */
  public static byte[] png(Tensor image) {
    boolean isWhole = image.dtype() == DataType.UINT8 || image.dtype() == DataType.UINT16;
    if (!isWhole || image.shape().rank() != 3) {
      throw invalidArgument(
          "a PNG is made of uint8 or uint16 [height, width, channels], and the image is %s",
          image.typeAndShape());
    }
    return EncodeImageOps.png(image, -1, new Cancellation()).string(0);
  }
}

package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.kernels.image.ImageEncoder;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.Locale;

/**
 * Encodes images in this process, and writes them to files: the images that {@link Dataset#images}
 * reads. An image is [height, width, channels], uint8; of PNG, uint16, too.
 *
 * <pre>{@code
 * ImageFiles.write("/data/flowers/rose/7.jpg", element.get("image").tensor());
 *
 * byte[] pixels = ...; // of each pixel, row by row: red, green, blue
 * ImageFiles.write("/data/mine.png", Tensor.of(DataType.UINT8, Shape.of(height, width, 3), pixels));
 * }</pre>
 */
public final class ImageFiles {
  /** TensorFlow's default quality of JPEG files. */
  private static final int QUALITY = 95;

  private ImageFiles() {}

  /**
   * An image of 1 or 3 channels as a JPEG.
   *
   * @param quality from 0 to 100
   * @throws StatusException INVALID_ARGUMENT for another shape, dtype or quality
   */
  public static byte[] jpeg(Tensor image, int quality) {
    requireNonNull(image, "image is null");
    return ImageEncoder.jpeg(image, quality);
  }

  /**
   * An image of 1 to 4 channels as a PNG.
   *
   * @throws StatusException INVALID_ARGUMENT for another shape or dtype
   */
  public static byte[] png(Tensor image) {
    requireNonNull(image, "image is null");
    return ImageEncoder.png(image);
  }

  /**
   * Writes an image to {@code file}, as its extension says: {@code .jpg} and {@code .jpeg}, at
   * quality 95, or {@code .png}. An existing file is replaced; the folder must exist.
   *
   * @throws StatusException INVALID_ARGUMENT for another extension, shape or dtype; NOT_FOUND if
   *     the folder does not exist
   */
  public static void write(String file, Tensor image) {
    requireNonNull(file, "file is null");
    requireNonNull(image, "image is null");
    String extension = file.substring(file.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    DataFiles.write(
        file,
        switch (extension) {
          case "jpg", "jpeg" -> jpeg(image, QUALITY);
          case "png" -> png(image);
          default ->
              throw StatusException.invalidArgument(
                  "an image is written as .jpg, .jpeg or .png, and the file is %s", file);
        });
  }
}

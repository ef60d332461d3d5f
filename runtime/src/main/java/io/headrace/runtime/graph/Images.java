package io.headrace.runtime.graph;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * Operations on images for traced lambdas. An image is [height, width, channels]; where a method
 * says so, a batch of images of one size, [images, height, width, channels], will do.
 *
 * <pre>{@code
 * files.map(file -> Images.toFloat(Images.resize(Images.decodeJpeg(Ops.readFile(file), 3), 180, 180)))
 * }</pre>
 */
public final class Images {
  private Images() {}

  /**
   * Decodes a JPEG, PNG, BMP or GIF, by its first bytes, to uint8; of a GIF, the first frame.
   *
   * @param channels 1, 3 or 4; 0 takes the file's number
   */
  public static Output decode(Output contents, int channels) {
    return op(contents, "DecodeImage")
        .attr("channels", channels)
        .attr("expand_animations", false)
        .build();
  }

  /** Decodes a JPEG to uint8; 0 channels takes the file's number. */
  public static Output decodeJpeg(Output contents, int channels) {
    return contents.decodeJpeg(channels);
  }

  /**
   * Decodes a JPEG to uint8 at {@code 1 / ratio} of its size, which takes less time.
   *
   * @param ratio 1, 2, 4 or 8
   */
  public static Output decodeJpeg(Output contents, int channels, int ratio) {
    return op(contents, "DecodeJpeg").attr("channels", channels).attr("ratio", ratio).build();
  }

  /**
   * Decodes a part of a JPEG to uint8.
   *
   * @param window y, x, height and width of the part: a vector of four int32
   */
  public static Output decodeAndCropJpeg(Output contents, Output window, int channels) {
    return op(contents, "DecodeAndCropJpeg").input(window).attr("channels", channels).build();
  }

  /** Height, width and channels of a JPEG, which is not decoded: a vector of three int32. */
  public static Output jpegShape(Output contents) {
    return op(contents, "ExtractJpegShape").build();
  }

  /** Decodes a PNG to uint8; 0 channels takes the file's number. */
  public static Output decodePng(Output contents, int channels) {
    return contents.decodePng(channels);
  }

  /** Encodes a uint8 image of 1 or 3 channels as JPEG; {@code quality} is from 0 to 100. */
  public static Output encodeJpeg(Output image, int quality) {
    return op(image, "EncodeJpeg").attr("quality", quality).build();
  }

  /** Encodes a uint8 or uint16 image as PNG. */
  public static Output encodePng(Output image) {
    return op(image, "EncodePng").build();
  }

  /** Resizes an image, or a batch of images, bilinearly; float32. */
  public static Output resize(Output image, int height, int width) {
    return image.resize(height, width);
  }

  /** Resizes an image, or a batch of images, to the nearest pixels; of the same dtype. */
  public static Output resizeNearest(Output image, int height, int width) {
    return resized(image, "ResizeNearestNeighbor", true, height, width);
  }

  /** Resizes an image, or a batch of images, bicubically; float32. */
  public static Output resizeBicubic(Output image, int height, int width) {
    return resized(image, "ResizeBicubic", true, height, width);
  }

  /** Resizes an image, or a batch of images, by averages over areas; float32. */
  public static Output resizeArea(Output image, int height, int width) {
    return resized(image, "ResizeArea", false, height, width);
  }

  private static Output resized(
      Output image, String opName, boolean halfPixelCenters, int height, int width) {
    boolean single = image.shape().rank() == 3;
    if (!single && image.shape().rank() != 4) {
      throw StatusException.invalidArgument(
          "an image is [height, width, channels], or a batch of such, and %s was given", image);
    }
    NodeBuilder node =
        op(single ? image.expandDims(0) : image, opName).input(Tensor.vector(height, width));
    if (halfPixelCenters) {
      node.attr("half_pixel_centers", true);
    }
    return single ? node.build().squeeze(0) : node.build();
  }

  /**
   * Parts of a batch of images, each resized bilinearly to {@code height} x {@code width}; float32.
   *
   * @param boxes the parts, a row each: y1, x1, y2, x2, as fractions of height and width, float32
   * @param of the index of the image of each part, int32
   */
  public static Output cropAndResize(
      Output images, Output boxes, Output of, int height, int width) {
    return op(images, "CropAndResize")
        .input(boxes)
        .input(of)
        .input(Tensor.vector(height, width))
        .build();
  }

  /** The part of an image, {@code height} x {@code width}, whose upper left corner is (y, x). */
  public static Output crop(Output image, int y, int x, int height, int width) {
    return image.slice(new long[] {y, x, 0}, new long[] {height, width, -1});
  }

  /**
   * A part of an image, {@code height} x {@code width}, at a random place. The places differ from
   * image to image, and from pass to pass unless a seed is not 0.
   */
  public static Output randomCrop(Output image, int height, int width, long seed, long seed2) {
    GraphBuilder graph = GraphBuilder.currentFor(image);
    Output free =
        image
            .shapeTensor()
            .slice(new long[] {0}, new long[] {2})
            .sub(graph.constant(Tensor.vector(height, width)));
    Output corner =
        Ops.randomUniform(seed, seed2, 2)
            .mul(free.add(1).cast(DataType.FLOAT32))
            .floor()
            .cast(DataType.INT32)
            .minimum(free);
    return op(image, "Slice")
        .input(Ops.concat(List.of(corner, graph.constant(Tensor.vector(0))), 0))
        .input(Tensor.vector(height, width, -1))
        .build();
  }

  /** Mirrors an image from left to right, or each of a batch. */
  public static Output flipLeftRight(Output image) {
    return image.reverse(-2);
  }

  /** Turns an image upside down, or each of a batch. */
  public static Output flipUpDown(Output image) {
    return image.reverse(-3);
  }

  /**
   * Mirrors an image from left to right with a probability of one half. The draws differ from image
   * to image, and from pass to pass unless a seed is not 0.
   */
  public static Output randomFlipLeftRight(Output image, long seed, long seed2) {
    return Ops.cond(
            Ops.randomUniform(seed, seed2).less(0.5),
            () -> List.of(flipLeftRight(image)),
            () -> List.of(op(image, "Identity").build()))
        .getFirst();
  }

  /** A uint8 image, from 0 to 255, as float32 from 0 to 1. */
  public static Output toFloat(Output image) {
    return image.cast(DataType.FLOAT32).mul(1f / 255);
  }

  /**
   * Changes the contrast of float32 images: distances to each channel's mean grow by the factor.
   */
  public static Output adjustContrast(Output image, float factor) {
    return op(image, "AdjustContrastv2").input(Tensor.scalar(factor)).build();
  }

  /** Turns the hue of float32 RGB images by {@code delta}, from -1 to 1, of the color wheel. */
  public static Output adjustHue(Output image, float delta) {
    return op(image, "AdjustHue").input(Tensor.scalar(delta)).build();
  }

  /** Multiplies the saturation of float32 RGB images. */
  public static Output adjustSaturation(Output image, float factor) {
    return op(image, "AdjustSaturation").input(Tensor.scalar(factor)).build();
  }

  private static NodeBuilder op(Output first, String name) {
    return GraphBuilder.currentFor(first).op(name).input(first);
  }
}

package io.headrace.kernels.image;

import org.jspecify.annotations.Nullable;

/** A JPEG decoder. Implementations are thread-safe. */
interface JpegDecoder {
  /** The least number of samples (height by width by the file's components) that is refused. */
  long MAX_SAMPLES = 1L << 29;

  /**
   * Decode options, after the attrs of DecodeJpeg and DecodeAndCropJpeg.
   *
   * @param channels 1 for gray, 3 for RGB, 0 for those of the file, of which CMYK's four become RGB
   * @param ratio downscaling factor: 1, 2, 4 or 8
   * @param fancyUpscaling whether chroma is upsampled with smoothing
   * @param accurate whether to use the accurate integer DCT, which is slower
   * @param recoverTruncated whether to accept a truncated file and repeat its last complete row
   * @param acceptableFraction the least fraction of rows of a truncated file with which it is
   *     accepted, and the other rows black; 1 or more for all
   * @param crop the part of the downscaled image to decode; null for all of it
   */
  record Request(
      int channels,
      int ratio,
      boolean fancyUpscaling,
      boolean accurate,
      boolean recoverTruncated,
      float acceptableFraction,
      @Nullable Window crop) {

    /** The defaults of DecodeJpeg's attrs, with {@code channels}. */
    static Request ofChannels(int channels) {
      return new Request(channels, 1, true, false, false, 1, null);
    }

    /** The same options for the part {@code window} of the image. */
    Request cropped(@Nullable Window window) {
      return new Request(
          channels, ratio, fancyUpscaling, accurate, recoverTruncated, acceptableFraction, window);
    }
  }

  /** A part of an image, in pixels from its top left corner; may lie outside of it. */
  record Window(int y, int x, int height, int width) {
    /** Whether it is a part of an image of this size, and not empty. */
    boolean isWithin(int imageHeight, int imageWidth) {
      return y >= 0
          && x >= 0
          && height > 0
          && width > 0
          && (long) y + height <= imageHeight
          && (long) x + width <= imageWidth;
    }
  }

  /**
   * Decodes {@code file}, which begins with a JPEG's first bytes; null if it is damaged or too
   * large, or if the crop window is not within the image. The pixels are those of the window.
   * Throws UNIMPLEMENTED for options that this decoder lacks, RESOURCE_EXHAUSTED for an image that
   * passes the bound on a tensor's bytes.
   */
  @Nullable Pixels decode(byte[] file, Request request);
}

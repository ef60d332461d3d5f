package io.headrace.kernels.image;

import org.jspecify.annotations.Nullable;

/** Decodes JPEG data. Thread-safe. */
interface JpegCodec {
  /**
   * How to decode.
   *
   * @param channels 1 for gray, 3 for red, green and blue
   * @param ratio the image is made that many times smaller: 1, 2, 4 or 8
   * @param fancyUpscaling whether subsampled colors are smoothed
   * @param accurate whether the slower, exact cosine transform is used
   * @param recoverTruncated whether what is missing at the end may be made up
   */
  record Request(
      int channels,
      int ratio,
      boolean fancyUpscaling,
      boolean accurate,
      boolean recoverTruncated) {}

  /**
   * The pixels of {@code file}, whose header is {@code header}; null if it is damaged.
   * UNIMPLEMENTED where this codec cannot do what is requested.
   */
  @Nullable Pixels decode(byte[] file, JpegHeader header, Request request);
}

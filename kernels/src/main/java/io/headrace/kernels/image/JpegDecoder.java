package io.headrace.kernels.image;

import org.jspecify.annotations.Nullable;

/** A JPEG decoder. Implementations are thread-safe. */
interface JpegDecoder {
  /**
   * Decode options, after the attrs of DecodeJpeg.
   *
   * @param channels 1 for gray, 3 for RGB
   * @param ratio downscaling factor: 1, 2, 4 or 8
   * @param fancyUpscaling whether chroma is upsampled with smoothing
   * @param accurate whether to use the accurate integer DCT, which is slower
   * @param recoverTruncated whether to accept a truncated file and fill in the missing pixels
   */
  record Request(
      int channels,
      int ratio,
      boolean fancyUpscaling,
      boolean accurate,
      boolean recoverTruncated) {}

  /**
   * Decodes {@code file}, whose parsed header is {@code header}; null if the file is damaged.
   * Throws UNIMPLEMENTED for options that this decoder lacks.
   */
  @Nullable Pixels decode(byte[] file, JpegHeader header, Request request);
}

package io.headrace.kernels.image;

/**
 * The header of a JPEG file: its frame and Adobe markers.
 *
 * @param height in pixels
 * @param width in pixels
 * @param components number of color components
 * @param isArithmetic whether the data has arithmetic coding, of no least size, instead of
 *     Huffman's
 * @param hasAdobeMarker whether the file has Adobe's APP14 marker, with which CMYK is inverted
 */
record JpegHeader(
    int height, int width, int components, boolean isArithmetic, boolean hasAdobeMarker) {
  /** A Huffman code has at least a bit, for a unit of at most 32 by 32 pixels. */
  private static final long MAX_PIXELS_PER_BYTE = 32 * 32 * Byte.SIZE;

  private static final int RST_FIRST = 0xD0;
  private static final int RST_LAST = 0xD7;
  private static final int SOI = 0xD8;
  private static final int EOI = 0xD9;
  private static final int TEM = 0x01;

  /**
   * The number of channels of a decoded image: {@code requested}, or if that is 0 those of the
   * file; 0 if TensorFlow decodes no such image.
   */
  int channels(int requested) {
    int channels = requested == 0 ? Math.min(components, 3) : requested;
    return channels == 2 ? 0 : channels;
  }

  /**
   * Whether the image, decoded as {@code request} says, has no samples or more than TensorFlow
   * accepts, or so many pixels that a file of {@code fileBytes} cannot fill them.
   */
  boolean isTooLarge(int fileBytes, JpegDecoder.Request request) {
    long scaledHeight = Math.ceilDiv((long) height, request.ratio());
    long scaledWidth = Math.ceilDiv((long) width, request.ratio());
    boolean mustFill =
        !request.recoverTruncated() && request.acceptableFraction() >= 1 && !isArithmetic;
    return height == 0
        || width == 0
        || (mustFill && (long) height * width > MAX_PIXELS_PER_BYTE * fileBytes)
        || scaledHeight * scaledWidth * components >= JpegDecoder.MAX_SAMPLES;
  }

  /** Whether {@code file} has an EOI marker, which ends an image: it is not truncated. */
  static boolean isComplete(byte[] file) {
    int at = 2;
    while (at >= 0 && at + 2 <= file.length) {
      at = toMarker(file, at);
      if (at < 0 || at + 2 > file.length) {
        return false;
      }
      int marker = file[at + 1] & 0xff;
      if (marker == EOI) {
        return true;
      }
      boolean hasSegment = !isStandalone(marker) && at + 4 <= file.length;
      at += hasSegment ? 2 + unsigned16(file, at + 2) : 2;
    }
    return false;
  }

  /** The offset of the next marker, 0xff and a byte that is neither 0 nor 0xff; -1 for none. */
  private static int toMarker(byte[] file, int from) {
    for (int at = from; at + 1 < file.length; at++) {
      if (file[at] == (byte) 0xff && file[at + 1] != 0 && file[at + 1] != (byte) 0xff) {
        return at;
      }
    }
    return -1;
  }

  /** Whether a marker stands alone, without a segment. */
  private static boolean isStandalone(int marker) {
    return marker == TEM || marker == SOI || (marker >= RST_FIRST && marker <= RST_LAST);
  }

  private static int unsigned16(byte[] file, int at) {
    return (file[at] & 0xff) << 8 | (file[at + 1] & 0xff);
  }
}

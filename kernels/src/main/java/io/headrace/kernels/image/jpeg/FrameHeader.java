package io.headrace.kernels.image.jpeg;

/**
 * The frame of an image: ITU-T T.81 B.2.2.
 *
 * @param precision bits of a sample
 * @param height in pixels
 * @param width in pixels
 * @param isProgressive whether scans refine each other
 * @param isArithmetic whether arithmetic coding takes the place of Huffman's
 * @param components in the order of the header
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FrameHeader(
    int precision,
    int height,
    int width,
    boolean isProgressive,
    boolean isArithmetic,
    FrameComponent[] components) {
  private static final int MAX_SIDE = 65_500;
  private static final int MAX_COMPONENTS = 10;
  private static final int MAX_FACTOR = 4;
  static final int BLOCK = 8;

  int maxHorizontal() {
    int max = 1;
    for (FrameComponent component : components) {
      max = Math.max(max, component.horizontal);
    }
    return max;
  }

  int maxVertical() {
    int max = 1;
    for (FrameComponent component : components) {
      max = Math.max(max, component.vertical);
    }
    return max;
  }

  /** The rows of MCUs of a scan of all components. */
  int mcuRows() {
    return Math.ceilDiv(height, maxVertical() * BLOCK);
  }

  /** Checks the frame against libjpeg's limits, and sets its components' sizes in blocks. */
  void prepare() throws JpegException {
    if (height > MAX_SIDE || width > MAX_SIDE || components.length > MAX_COMPONENTS) {
      throw new JpegException("the image is too large");
    }
    if (precision != BLOCK) {
      throw new JpegException("samples must have 8 bits");
    }
    for (FrameComponent component : components) {
      if (component.horizontal < 1
          || component.horizontal > MAX_FACTOR
          || component.vertical < 1
          || component.vertical > MAX_FACTOR) {
        throw new JpegException("a sampling factor is not 1 to 4");
      }
    }
    for (FrameComponent component : components) {
      component.widthInBlocks = Math.ceilDiv(width * component.horizontal, maxHorizontal() * BLOCK);
      component.heightInBlocks = Math.ceilDiv(height * component.vertical, maxVertical() * BLOCK);
    }
  }
}

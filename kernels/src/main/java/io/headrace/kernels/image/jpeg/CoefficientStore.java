package io.headrace.kernels.image.jpeg;

/** The coefficients of all blocks of an image of several scans. */
final class CoefficientStore {
  private final short[][][] rows;

  CoefficientStore(FrameHeader frame) {
    FrameComponent[] components = frame.components();
    rows = new short[components.length][][];
    for (FrameComponent component : components) {
      rows[component.index] = new short[paddedHeight(component)][paddedWidth(component) * 64];
    }
  }

  /** The bytes that the coefficients take. */
  static long bytes(FrameHeader frame) {
    long bytes = 0;
    for (FrameComponent component : frame.components()) {
      long blocks = (long) paddedHeight(component) * paddedWidth(component);
      bytes += blocks * Zigzag.COEFFICIENTS * Short.BYTES;
    }
    return bytes;
  }

  private static int paddedHeight(FrameComponent component) {
    return Math.ceilDiv(component.heightInBlocks, component.vertical) * component.vertical;
  }

  private static int paddedWidth(FrameComponent component) {
    return Math.ceilDiv(component.widthInBlocks, component.horizontal) * component.horizontal;
  }

  /** A row of a component's blocks, 64 coefficients each. */
  short[] row(FrameComponent component, int blockRow) {
    return rows[component.index][blockRow];
  }
}

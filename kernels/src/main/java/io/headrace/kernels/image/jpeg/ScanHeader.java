package io.headrace.kernels.image.jpeg;

import java.util.Arrays;

/**
 * A scan's header, ITU-T T.81 B.2.3, and the layout of its MCUs.
 *
 * @param components in the order of the header
 * @param spectralStart the first coefficient, in zigzag order
 * @param spectralEnd the last coefficient
 * @param high the bit position of the preceding scan of these coefficients; 0 for the first
 * @param low the bit position of this scan
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ScanHeader(
    FrameComponent[] components, int spectralStart, int spectralEnd, int high, int low) {
  private static final int MAX_BLOCKS = 10;

  boolean isInterleaved() {
    return components.length > 1;
  }

  int mcusPerRow(FrameHeader frame) {
    return isInterleaved()
        ? Math.ceilDiv(frame.width(), frame.maxHorizontal() * FrameHeader.BLOCK)
        : components[0].widthInBlocks;
  }

  /** The MCU rows of {@code row}, a row of MCUs of all components. */
  int mcuRows(FrameHeader frame, int row) {
    if (isInterleaved()) {
      return 1;
    }
    FrameComponent component = components[0];
    return Math.min(component.vertical, component.heightInBlocks - row * component.vertical);
  }

  /** By block of an MCU: the index of its component among the scan's. */
  int[] membership() throws JpegException {
    if (!isInterleaved()) {
      return new int[1];
    }
    int[] members = new int[MAX_BLOCKS];
    int count = 0;
    for (int i = 0; i < components.length; i++) {
      int blocks = components[i].horizontal * components[i].vertical;
      if (count + blocks > MAX_BLOCKS) {
        throw new JpegException("an MCU has more than 10 blocks");
      }
      Arrays.fill(members, count, count + blocks, i);
      count += blocks;
    }
    return Arrays.copyOf(members, count);
  }
}

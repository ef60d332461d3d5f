package io.headrace.kernels.image.jpeg;

import java.util.Arrays;

/** Leads a scan's blocks, MCU by MCU, to where they belong. */
final class BlockSink {
  private final ScanHeader scan;
  private final FrameHeader frame;
  private final int mcusPerRow;
  private final Mcu mcu;

  BlockSink(ScanHeader scan, FrameHeader frame) throws JpegException {
    this.scan = scan;
    this.frame = frame;
    mcusPerRow = scan.mcusPerRow(frame);
    mcu = new Mcu(scan.membership().length);
  }

  /** A visit of a block: its component, row and column, and its index in the MCU. */
  private interface Visitor {
    void visit(FrameComponent component, int blockRow, int column, int index);
  }

  private void visit(int row, int rowWithin, int mcuColumn, Visitor visitor) {
    if (!scan.isInterleaved()) {
      FrameComponent component = scan.components()[0];
      visitor.visit(component, row * component.vertical + rowWithin, mcuColumn, 0);
      return;
    }
    int index = 0;
    for (FrameComponent component : scan.components()) {
      for (int y = 0; y < component.vertical; y++) {
        for (int x = 0; x < component.horizontal; x++) {
          int blockRow = row * component.vertical + y;
          visitor.visit(component, blockRow, mcuColumn * component.horizontal + x, index++);
        }
      }
    }
  }

  /** Decodes {@code row} of the only scan, and transforms it to samples. */
  void decode(int row, EntropyDecoder entropy, LineWriter lines) throws JpegException {
    short[] blocks = new short[mcu.offsets.length * Zigzag.COEFFICIENTS];
    for (int i = 0; i < mcu.offsets.length; i++) {
      mcu.set(i, blocks, i * Zigzag.COEFFICIENTS);
    }
    for (int y = 0; y < scan.mcuRows(frame, row); y++) {
      for (int column = 0; column < mcusPerRow; column++) {
        Arrays.fill(blocks, (short) 0);
        entropy.decode(mcu);
        visit(
            row,
            y,
            column,
            (component, blockRow, blockColumn, index) -> {
              if (component.isNeeded) {
                SamplePlane plane = lines.plane(component);
                if (plane.contains(blockRow, blockColumn)) {
                  plane.put(blockRow, blockColumn, blocks, index * Zigzag.COEFFICIENTS);
                }
              }
            });
      }
    }
  }

  /** Decodes all of the scan, and returns the last row for which it has data. */
  int decodeInto(CoefficientStore store, EntropyDecoder entropy) throws JpegException {
    int lastGoodRow = 0;
    for (int row = 0; row < frame.mcuRows(); row++) {
      for (int y = 0; y < scan.mcuRows(frame, row); y++) {
        for (int column = 0; column < mcusPerRow; column++) {
          visit(
              row,
              y,
              column,
              (component, blockRow, blockColumn, index) ->
                  mcu.set(
                      index, store.row(component, blockRow), blockColumn * Zigzag.COEFFICIENTS));
          if (!entropy.isExhausted()) {
            lastGoodRow = row;
          }
          entropy.decode(mcu);
        }
      }
    }
    return lastGoodRow;
  }
}

package io.headrace.kernels.image.jpeg;

import org.jspecify.annotations.Nullable;

/**
 * The sizes of a scaled image and of a crop of it. Columns of a crop begin at a multiple of an
 * MCU's width; smoothing at its left and right edges sees nothing beyond them.
 */
final class OutputGeometry {
  final FrameHeader frame;

  /** The least {@link FrameComponent#blockSize}. */
  final int blockSize;

  final int maxHorizontal;
  final int maxVertical;

  /** The size of the whole image. */
  final int height;

  final int width;

  /** The wanted part of it. */
  final JpegDecompressor.Window window;

  /** The first column that is decoded. */
  final int left;

  /** The number of columns that are decoded, up to the window's right edge. */
  final int columns;

  /** Sets the components' sizes after scaling by {@code 1 / ratio}. */
  OutputGeometry(FrameHeader frame, int ratio, JpegDecompressor.@Nullable Window crop)
      throws JpegException {
    this.frame = frame;
    blockSize = FrameHeader.BLOCK / ratio;
    maxHorizontal = frame.maxHorizontal();
    maxVertical = frame.maxVertical();
    height = Math.ceilDiv(frame.height(), ratio);
    width = Math.ceilDiv(frame.width(), ratio);
    window = crop == null ? new JpegDecompressor.Window(0, 0, height, width) : crop;
    if (!window.isWithin(height, width)) {
      throw new JpegException("the crop window is not within the image");
    }
    left = window.width() == width ? 0 : window.x() / mcuWidth() * mcuWidth();
    columns = window.x() + window.width() - left;
    for (FrameComponent component : frame.components()) {
      scale(component);
    }
  }

  /** Subsampled components are scaled less, as far as that makes up for the subsampling. */
  private void scale(FrameComponent component) {
    int size = blockSize;
    while (size < FrameHeader.BLOCK
        && maxHorizontal * blockSize % (component.horizontal * size * 2) == 0
        && maxVertical * blockSize % (component.vertical * size * 2) == 0) {
      size *= 2;
    }
    component.blockSize = size;
    component.width =
        Math.ceilDiv(
            frame.width() * component.horizontal * size, maxHorizontal * FrameHeader.BLOCK);
    component.height =
        Math.ceilDiv(frame.height() * component.vertical * size, maxVertical * FrameHeader.BLOCK);
  }

  /** Lines of the output that a row of MCUs of all components gives. */
  int linesPerRow() {
    return blockSize * maxVertical;
  }

  private boolean isSingle() {
    return frame.components().length == 1;
  }

  private int mcuWidth() {
    return isSingle() ? blockSize : blockSize * maxHorizontal;
  }

  boolean isCropped() {
    return columns != width;
  }

  /** The samples of a component's rows that are decoded and wanted. */
  int columns(FrameComponent component) {
    return isCropped()
        ? Math.ceilDiv(
            columns * component.horizontal * component.blockSize, maxHorizontal * blockSize)
        : component.width;
  }

  int firstBlock(FrameComponent component) {
    return left * blocksPerMcu(component) / mcuWidth();
  }

  int lastBlock(FrameComponent component) {
    int last = Math.ceilDiv((left + columns) * blocksPerMcu(component), mcuWidth()) - 1;
    return isCropped() ? Math.min(last, component.widthInBlocks - 1) : component.widthInBlocks - 1;
  }

  private int blocksPerMcu(FrameComponent component) {
    return isSingle() ? 1 : component.horizontal;
  }
}

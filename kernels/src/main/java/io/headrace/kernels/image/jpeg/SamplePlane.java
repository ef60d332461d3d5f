package io.headrace.kernels.image.jpeg;

import org.jspecify.annotations.Nullable;

/** Samples of a component: a range of rows and columns of its blocks. */
final class SamplePlane {
  private final FrameComponent component;
  private final byte[] samples;
  private final int stride;
  private final int firstBlock;
  private final int lastBlock;
  private final int firstBlockRow;
  private final boolean isAccurate;
  private @Nullable InverseDct dct;

  /** Holds the blocks of {@code rows} rows of MCUs of all components, from {@code firstRow} on. */
  SamplePlane(
      FrameComponent component,
      OutputGeometry geometry,
      boolean isAccurate,
      int firstRow,
      int rows) {
    this.component = component;
    this.isAccurate = isAccurate;
    firstBlock = geometry.firstBlock(component);
    lastBlock = geometry.lastBlock(component);
    firstBlockRow = firstRow * component.vertical;
    stride = stride(component, geometry);
    samples = new byte[stride * rows * component.vertical * component.blockSize];
  }

  private static int stride(FrameComponent component, OutputGeometry geometry) {
    int blocks = geometry.lastBlock(component) - geometry.firstBlock(component) + 1;
    return blocks * component.blockSize;
  }

  /** The bytes that such a plane takes. */
  static long bytes(FrameComponent component, OutputGeometry geometry, int rows) {
    return (long) stride(component, geometry) * rows * component.vertical * component.blockSize;
  }

  int firstBlock() {
    return firstBlock;
  }

  int lastBlock() {
    return lastBlock;
  }

  /** Whether the plane wants the block. */
  boolean contains(int blockRow, int column) {
    return blockRow >= firstBlockRow
        && blockRow < component.heightInBlocks
        && column >= firstBlock
        && column <= lastBlock;
  }

  /** Writes the samples of a block within the plane. */
  void put(int blockRow, int column, short[] coefficients, int at) {
    if (dct == null) {
      int[] table = component.quantization;
      // A component without any scan is zero.
      dct =
          InverseDct.of(
              component.blockSize,
              isAccurate,
              table == null ? new int[Zigzag.COEFFICIENTS] : table);
    }
    int size = component.blockSize;
    int to = (blockRow - firstBlockRow) * size * stride + (column - firstBlock) * size;
    dct.transform(coefficients, at, samples, to, stride);
  }

  byte[] samples() {
    return samples;
  }

  /** The index of the first sample of {@code row} of the component. */
  int rowStart(int row) {
    return (row - firstBlockRow * component.blockSize) * stride;
  }
}

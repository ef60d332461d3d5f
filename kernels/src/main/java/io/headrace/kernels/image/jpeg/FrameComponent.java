package io.headrace.kernels.image.jpeg;

import org.jspecify.annotations.Nullable;

/**
 * A color component of a frame: what its header says, what follows from it, and the quantization
 * table of its first scan.
 */
final class FrameComponent {
  final int index;
  final int id;
  final int horizontal;
  final int vertical;
  final int quantTable;

  /** The component's size in blocks, without those that only fill an MCU. */
  int widthInBlocks;

  int heightInBlocks;

  /** Samples that a block gives in each direction: 1, 2, 4 or 8. */
  int blockSize;

  /** The component's size in samples, after scaling. */
  int width;

  int height;

  /** Whether the output depends on this component. */
  boolean isNeeded = true;

  int dcTable;
  int acTable;

  /** The table in natural order, from the first scan that has this component. */
  int @Nullable [] quantization;

  FrameComponent(int index, int id, int factors, int quantTable) {
    this.index = index;
    this.id = id;
    this.horizontal = factors >> 4;
    this.vertical = factors & 15;
    this.quantTable = quantTable;
  }
}

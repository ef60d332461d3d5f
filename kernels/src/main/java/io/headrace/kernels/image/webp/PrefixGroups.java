package io.headrace.kernels.image.webp;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/**
 * The prefix codes of a lossless image: five for each group of its blocks, or one group for all.
 *
 * @param groups the groups; null where no block uses one
 * @param blocks the group of each block of the image; of one element if there is only one group
 * @param blockBits the logarithm of a block's side
 * @param columns the blocks in a row
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PrefixGroups(PrefixCode[][] groups, int[] blocks, int blockBits, int columns) {
  static final int GREEN = 0;
  static final int RED = 1;
  static final int BLUE = 2;
  static final int ALPHA = 3;
  static final int DISTANCE = 4;

  /** Codes of literals, of lengths, and, behind both, of a cache. */
  static final int LITERALS = 256;

  static final int LENGTHS = 24;
  private static final int DISTANCES = 40;

  /** 128 MiB; an image's codes take some hundred KiB. */
  private static final int MAX_ENTRIES = 1 << 25;

  /** A block side of 2^31 for images of one group. */
  private static final int ONE_BLOCK = 31;

  /** One group for a whole image. */
  static PrefixGroups one(LosslessBits bits, int cacheSize) throws WebpException {
    return read(bits, cacheSize, new int[1], 1, ONE_BLOCK, 1);
  }

  /** The groups of {@code blocks}, of which there are {@code columns} in a row. */
  static PrefixGroups of(LosslessBits bits, int cacheSize, int[] blocks, int blockBits, int columns)
      throws WebpException {
    int count = 0;
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = blocks[i] >>> 8 & 0xffff;
      count = Math.max(count, blocks[i] + 1);
    }
    return read(bits, cacheSize, blocks, count, blockBits, columns);
  }

  private static PrefixGroups read(
      LosslessBits bits, int cacheSize, int[] blocks, int count, int blockBits, int columns)
      throws WebpException {
    boolean[] isUsed = new boolean[count];
    for (int group : blocks) {
      isUsed[group] = true;
    }
    int[] alphabets = {LITERALS + LENGTHS + cacheSize, LITERALS, LITERALS, LITERALS, DISTANCES};
    PrefixCodeReader reader = new PrefixCodeReader(bits, alphabets[GREEN]);
    PrefixCode[][] groups = new PrefixCode[count][];
    int entries = 0;
    for (int group = 0; group < count; group++) {
      PrefixCode[] codes = new PrefixCode[alphabets.length];
      for (int i = 0; i < codes.length; i++) {
        codes[i] = reader.read(alphabets[i]);
        entries += isUsed[group] ? codes[i].size() : 0;
      }
      if (entries > MAX_ENTRIES) {
        throw new StatusException(
            StatusCode.RESOURCE_EXHAUSTED,
            "the prefix codes of a WebP image take more than %d bytes".formatted(4L * MAX_ENTRIES));
      }
      if (isUsed[group]) {
        groups[group] = codes;
      }
    }
    return new PrefixGroups(groups, blocks, blockBits, columns);
  }

  /** The codes of the pixel at {@code column} of {@code row}. */
  PrefixCode[] at(int column, int row) {
    return groups[blocks[(row >>> blockBits) * columns + (column >>> blockBits)]];
  }

  /** Whether {@code column} is the first of a block. */
  boolean isFirst(int column) {
    return (column & (1 << blockBits) - 1) == 0;
  }
}

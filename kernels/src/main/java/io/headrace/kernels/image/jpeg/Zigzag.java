package io.headrace.kernels.image.jpeg;

import java.util.Arrays;

/** The order of a block's coefficients, ITU-T T.81 figure 5. */
final class Zigzag {
  static final int COEFFICIENTS = 64;

  /** Further entries that damaged data may reach: runs beyond a block's end. */
  private static final int OVERRUN = 16;

  private Zigzag() {}

  /** By zigzag index: the index by row and column. Indices beyond a block are its last. */
  static final int[] NATURAL = natural();

  private static int[] natural() {
    int[] order = new int[COEFFICIENTS + OVERRUN];
    Arrays.fill(order, COEFFICIENTS - 1);
    int at = 0;
    for (int diagonal = 0; diagonal < 15; diagonal++) {
      for (int i = Math.max(0, diagonal - 7); i <= Math.min(7, diagonal); i++) {
        // Even diagonals rise from the left, odd ones fall from the top.
        int row = diagonal % 2 == 0 ? diagonal - i : i;
        order[at++] = row * 8 + diagonal - row;
      }
    }
    return order;
  }
}

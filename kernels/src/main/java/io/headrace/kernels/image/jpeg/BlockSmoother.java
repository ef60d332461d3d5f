package io.headrace.kernels.image.jpeg;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the coefficients of low frequency that a progressive image lacks from the DC
 * coefficients of the blocks around, ITU-T T.81 K.8, with libjpeg-turbo's window of 5 by 5 blocks.
 *
 * <p>Not thread-safe.
 */
final class BlockSmoother {
  private static final int SIDE = 5;
  private static final int WEIGHT_BITS = 8;

  /** Weights for coefficients by zigzag index from 1 on, where some coefficient is known. */
  private static final int[][] WEIGHTS = {
    weights(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -7, 50, 0, -50, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    weights(0, 0, -7, 0, 0, 0, 0, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, -50, 0, 0, 0, 0, 7, 0, 0),
    weights(0, 0, -1, 0, 0, 0, 0, 13, 0, 0, 0, 0, -24, 0, 0, 0, 0, 13, 0, 0, 0, 0, -1, 0, 0),
    weights(0, -1, 0, 1, 0, -1, 10, 0, -10, 1, 0, 0, 0, 0, 0, 1, -10, 0, 10, -1, 0, 1, 0, -1, 0),
    weights(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 13, -24, 13, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  };

  /** Weights by zigzag index where only DC is known: that of DC itself first. */
  private static final int[][] DC_ONLY_WEIGHTS = {
    weights(
        -2, -6, -8, -6, -2, -6, 6, 42, 6, -6, -8, 42, 152, 42, -8, -6, 6, 42, 6, -6, -2, -6, -8, -6,
        -2),
    weights(
        -1, -1, 0, 1, 1, -3, 13, 0, -13, 3, -3, 38, 0, -38, 3, -3, 13, 0, -13, 3, -1, -1, 0, 1, 1),
    weights(
        -1, -3, -3, -3, -1, -1, 13, 38, 13, -1, 0, 0, 0, 0, 0, 1, -13, -38, -13, 1, 1, 3, 3, 3, 1),
    weights(0, 0, 1, 0, 0, 0, 2, 7, 2, 0, 0, -5, -14, -5, 0, 0, 2, 7, 2, 0, 0, 0, 1, 0, 0),
    weights(-1, 0, 0, 0, 1, 0, 9, 0, -9, 0, 0, 0, 0, 0, 0, 0, -9, 0, 9, 0, 1, 0, 0, 0, -1),
    weights(0, 0, 0, 0, 0, 0, 2, -5, 2, 0, 1, 7, -14, 7, 1, 0, 2, -5, 2, 0, 0, 0, 0, 0, 0),
    weights(0, 0, 0, 0, 0, 0, 1, 0, -1, 0, 0, 2, 0, -2, 0, 0, 1, 0, -1, 0, 0, 0, 0, 0, 0),
    weights(0, 0, 0, 0, 0, 0, 1, -3, 1, 0, 0, 0, 0, 0, 0, 0, -1, 3, -1, 0, 0, 0, 0, 0, 0),
    weights(0, 0, 0, 0, 0, 0, 1, 0, -1, 0, 0, -3, 0, 3, 0, 0, 1, 0, -1, 0, 0, 0, 0, 0, 0),
    weights(0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, -1, -2, -1, 0, 0, 0, 0, 0, 0)
  };

  private final FrameHeader frame;
  private final CoefficientStore store;
  private final SpectralProgress progress;
  private final int scans;
  private final int lastGoodRow;
  private final int[] window = new int[SIDE * SIDE];
  private final short[][] rows = new short[SIDE][];
  private final short[] block = new short[Zigzag.COEFFICIENTS];

  private BlockSmoother(
      FrameHeader frame,
      CoefficientStore store,
      SpectralProgress progress,
      int scans,
      int lastGoodRow) {
    this.frame = frame;
    this.store = store;
    this.progress = progress;
    this.scans = scans;
    this.lastGoodRow = lastGoodRow;
  }

  private static int[] weights(int... weights) {
    return weights;
  }

  /**
   * The smoother of an image, null if there is nothing to smooth. Rows of MCUs after {@code
   * lastGoodRow} have no data of the last of {@code scans} scans.
   */
  static @Nullable BlockSmoother of(
      FrameHeader frame,
      CoefficientStore store,
      SpectralProgress progress,
      int scans,
      int lastGoodRow) {
    boolean isUseful = false;
    for (FrameComponent component : frame.components()) {
      int[] table = component.quantization;
      int[] bits = progress.now(component.index);
      if (table == null || bits[0] == SpectralProgress.UNKNOWN) {
        return null;
      }
      for (int k = 0; k < SpectralProgress.SMOOTHED; k++) {
        if (table[Zigzag.NATURAL[k]] == 0) {
          return null;
        }
        isUseful |= k > 0 && bits[k] != 0;
      }
    }
    return isUseful ? new BlockSmoother(frame, store, progress, scans, lastGoodRow) : null;
  }

  /** Writes blocks of a row of MCUs to {@code plane}. */
  void put(FrameComponent component, int row, SamplePlane plane) {
    int[] bits = bits(component, row);
    int last = component.heightInBlocks % component.vertical;
    boolean isPartial = row == frame.mcuRows() - 1 && last != 0;
    int blockRows = isPartial ? last : component.vertical;
    for (int i = 0; i < blockRows; i++) {
      int blockRow = row * component.vertical + i;
      selectRows(component, row, i, blockRows);
      for (int column = plane.firstBlock(); column <= plane.lastBlock(); column++) {
        if (plane.contains(blockRow, column)) {
          smooth(component, column, plane.firstBlock(), bits);
          plane.put(blockRow, column, block, 0);
        }
      }
    }
  }

  private int[] bits(FrameComponent component, int row) {
    if (row <= lastGoodRow) {
      return progress.now(component.index);
    }
    int[] unknown = new int[SpectralProgress.SMOOTHED];
    Arrays.fill(unknown, SpectralProgress.UNKNOWN);
    return scans > 1 ? progress.before(component.index) : unknown;
  }

  /**
   * Selects the rows of blocks around row {@code i} of the {@code count} of a row of MCUs; those
   * beyond the image repeat the ones before.
   */
  private void selectRows(FrameComponent component, int row, int i, int count) {
    int last = frame.mcuRows() - 1;
    int blockRow = row * component.vertical + i;
    int above = i > 0 || row > 0 ? blockRow - 1 : blockRow;
    int below = i < count - 1 || row < last ? blockRow + 1 : blockRow;
    rows[0] = store.row(component, i > 1 || row > 1 ? blockRow - 2 : above);
    rows[1] = store.row(component, above);
    rows[2] = store.row(component, blockRow);
    rows[3] = store.row(component, below);
    rows[4] = store.row(component, i < count - 2 || row + 1 < last ? blockRow + 2 : below);
  }

  private void smooth(FrameComponent component, int column, int firstColumn, int[] bits) {
    System.arraycopy(rows[2], column * Zigzag.COEFFICIENTS, block, 0, Zigzag.COEFFICIENTS);
    int lastColumn = component.widthInBlocks - 1;
    // libjpeg-turbo 2.1 repeats the first of two columns.
    int beyond = lastColumn == firstColumn + 1 ? firstColumn : lastColumn;
    for (int i = 0; i < window.length; i++) {
      int from = Math.max(firstColumn, column + i % SIDE - 2);
      int existing = from > lastColumn ? beyond : from;
      window[i] = rows[i / SIDE][existing * Zigzag.COEFFICIENTS];
    }
    int[] table = component.quantization;
    if (table == null) {
      return;
    }
    if (isDcOnly(bits)) {
      for (int k = 1; k < DC_ONLY_WEIGHTS.length; k++) {
        estimate(k, DC_ONLY_WEIGHTS[k], bits[k], table);
      }
      block[0] = (short) quotient(dot(DC_ONLY_WEIGHTS[0]) * table[0], table[0], 0);
    } else {
      for (int k = 1; k <= WEIGHTS.length; k++) {
        estimate(k, WEIGHTS[k - 1], bits[k], table);
      }
    }
  }

  private static boolean isDcOnly(int[] bits) {
    for (int k = 1; k < SpectralProgress.SMOOTHED; k++) {
      if (bits[k] != SpectralProgress.UNKNOWN) {
        return false;
      }
    }
    return true;
  }

  private void estimate(int k, int[] weights, int bits, int[] table) {
    int index = Zigzag.NATURAL[k];
    if (bits != 0 && block[index] == 0) {
      block[index] = (short) quotient(dot(weights) * table[0], table[index], bits);
    }
  }

  private long dot(int[] weights) {
    long sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += (long) weights[i] * window[i];
    }
    return sum;
  }

  /** The rounded quotient, of a magnitude that the unknown {@code bits} can have. */
  private static int quotient(long sum, int quantization, int bits) {
    long step = (long) quantization << WEIGHT_BITS;
    int magnitude = (int) ((step / 2 + Math.abs(sum)) / step);
    if (bits > 0) {
      magnitude = Math.min(magnitude, (1 << bits) - 1);
    }
    return sum < 0 ? -magnitude : magnitude;
  }
}

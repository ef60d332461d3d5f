package io.headrace.kernels.nn;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;

/**
 * The pooling regions of fractional pooling over a batch of channels-last images: the products of
 * runs of rows and runs of columns. Pixels and regions are numbered across the whole batch.
 *
 * @param images number of images
 * @param rows the runs of rows
 * @param columns the runs of columns
 */
record FractionalRegions(int images, Runs rows, Runs columns) {
  /** Visits a pixel of a region. */
  @FunctionalInterface
  interface Visit {
    /** Called for each pixel of each region. */
    void at(int pixel, int region);
  }

  /**
   * The runs of lines between the boundaries of a pooling sequence; overlapping runs include the
   * next run's first line.
   */
  static final class Runs {
    private final int lines;
    private final int[] starts;
    private final int[] ends;

    private Runs(int lines, int[] starts, int[] ends) {
      this.lines = lines;
      this.starts = starts;
      this.ends = ends;
    }

    /**
     * The first {@code count} runs of {@code sequence}, which has more boundaries, over {@code
     * lines}.
     */
    static Runs of(long[] sequence, int count, int lines, boolean overlapping) {
      int[] starts = new int[count];
      int[] ends = new int[count];
      for (int i = 0; i < count; i++) {
        starts[i] = (int) Math.clamp(sequence[i], -1L, lines);
        ends[i] = (int) Math.clamp(sequence[i + 1] + (overlapping ? 1 : 0), -1L, lines);
      }
      return new Runs(lines, starts, ends);
    }

    /** Whether a run begins or ends before the first line. */
    boolean isNegative() {
      for (int i = 0; i < starts.length; i++) {
        if (starts[i] < 0 || ends[i] < 1) {
          return true;
        }
      }
      return false;
    }

    int count() {
      return starts.length;
    }

    int length(int run) {
      return Math.max(0, ends[run] - starts[run]);
    }
  }

  /** The regions of images of {@code shape}. */
  static FractionalRegions of(Shape shape, long[] rows, long[] columns, boolean overlapping) {
    return new FractionalRegions(
        (int) shape.size(0),
        Runs.of(rows, rows.length - 1, (int) shape.size(1), overlapping),
        Runs.of(columns, columns.length - 1, (int) shape.size(2), overlapping));
  }

  /** Number of regions, over all images. */
  int count() {
    return Shape.of(images, rows.count(), columns.count()).elements();
  }

  /** The number of pixels of {@code region}. */
  int size(int region) {
    return rows.length(region / columns.count() % rows.count())
        * columns.length(region % columns.count());
  }

  /** Visits the pixels of all regions, region by region. */
  void visit(Cancellation stop, Visit visit) {
    int count = count();
    for (int region = 0; region < count; region++) {
      stop.check();
      int column = region % columns.count();
      int row = region / columns.count() % rows.count();
      int image = region / columns.count() / rows.count();
      for (int y = rows.starts[row]; y < rows.ends[row]; y++) {
        int line = (image * rows.lines + y) * columns.lines;
        for (int x = columns.starts[column]; x < columns.ends[column]; x++) {
          visit.at(line + x, region);
        }
      }
    }
  }
}

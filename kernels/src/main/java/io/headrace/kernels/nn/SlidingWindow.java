package io.headrace.kernels.nn;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;

/**
 * A window that slides over a batch of channels-last images. All are treated as volumes; flat
 * images have one layer. Pixels and output positions ({@code position}) are numbered across the
 * whole batch.
 *
 * @param images number of images
 * @param z the axis of depth
 * @param y the axis of height
 * @param x the axis of width
 */
record SlidingWindow(int images, SlidingAxis z, SlidingAxis y, SlidingAxis x) {
  /** Visits one pixel under the window at one output position. */
  @FunctionalInterface
  interface Visit {
    /**
     * Called for each pixel under the window.
     *
     * @param pixel the index of the pixel in the batch
     * @param position the index of the output position in the batch
     * @param tap the index of the tap in the window
     */
    void at(int pixel, int position, int tap);
  }

  /** Visits a run of adjacent pixels of a line under adjacent taps. */
  @FunctionalInterface
  interface RunVisit {
    /**
     * Called for each run.
     *
     * @param pixel the index of the first pixel in the batch; -1 for padding
     * @param tap the index of the first tap in the window
     * @param count length of the run
     */
    void at(int pixel, int tap, int count);
  }

  /** Output positions, over all images. */
  int positions() {
    return Shape.of(images, z.out(), y.out(), x.out()).elements();
  }

  /** Taps of the window. */
  int taps() {
    return Shape.of(z.window(), y.window(), x.window()).elements();
  }

  /** Whether the window is a single tap that visits each pixel once, in order. */
  boolean isIdentity() {
    return isIdentity(z) && isIdentity(y) && isIdentity(x);
  }

  private static boolean isIdentity(SlidingAxis axis) {
    return axis.window() == 1
        && axis.stride() == 1
        && axis.before() == 0
        && axis.in() == axis.out();
  }

  /**
   * Visits all pixels under the window; per output position, in the order of the taps. However
   * large a window is said to be, only its taps over the images take time.
   */
  void slide(Cancellation stop, Visit visit) {
    for (int line = 0; line < images * z.out() * y.out(); line++) {
      stop.check();
      int image = line / (z.out() * y.out());
      int outZ = line / y.out() % z.out();
      int outY = line % y.out();
      int endZ = z.endTap(outZ);
      int endY = y.endTap(outY);
      for (int kz = z.firstTap(outZ); kz < endZ; kz++) {
        int layer = image * z.in() + z.index(outZ, kz);
        for (int ky = y.firstTap(outY); ky < endY; ky++) {
          int first = (layer * y.in() + y.index(outY, ky)) * x.in();
          slideAlong(first, line * x.out(), (kz * y.window() + ky) * x.window(), visit);
        }
      }
    }
  }

  private void slideAlong(int firstPixel, int firstPosition, int firstTap, Visit visit) {
    for (int position = 0; position < x.out(); position++) {
      int end = x.endTap(position);
      for (int kx = x.firstTap(position); kx < end; kx++) {
        visit.at(firstPixel + x.index(position, kx), firstPosition + position, firstTap + kx);
      }
    }
  }

  /** Visits the pixels under the window at {@code position}, as {@link #slide} does. */
  void slideAt(int position, Visit visit) {
    int outX = position % x.out();
    int outY = position / x.out() % y.out();
    int outZ = position / x.out() / y.out() % z.out();
    int image = position / x.out() / y.out() / z.out();
    int endZ = z.endTap(outZ);
    int endY = y.endTap(outY);
    int endX = x.endTap(outX);
    for (int kz = z.firstTap(outZ); kz < endZ; kz++) {
      int layer = image * z.in() + z.index(outZ, kz);
      for (int ky = y.firstTap(outY); ky < endY; ky++) {
        int line = (layer * y.in() + y.index(outY, ky)) * x.in();
        int tap = (kz * y.window() + ky) * x.window();
        for (int kx = x.firstTap(outX); kx < endX; kx++) {
          visit.at(line + x.index(outX, kx), position, tap + kx);
        }
      }
    }
  }

  /**
   * Visits the runs under the window at {@code position} in the order of the taps, with padding.
   */
  void visit(int position, RunVisit visit) {
    int outX = position % x.out();
    int outY = position / x.out() % y.out();
    int outZ = position / x.out() / y.out() % z.out();
    int image = position / x.out() / y.out() / z.out();
    int tap = 0;
    for (int kz = 0; kz < z.window(); kz++) {
      int layer = z.index(outZ, kz);
      for (int ky = 0; ky < y.window(); ky++) {
        int row = y.index(outY, ky);
        if (layer < 0 || row < 0) {
          visit.at(-1, tap, x.window());
        } else {
          visitLine(((image * z.in() + layer) * y.in() + row) * x.in(), outX, tap, visit);
        }
        tap += x.window();
      }
    }
  }

  private void visitLine(int line, int outX, int tap, RunVisit visit) {
    if (x.rate() > 1) {
      for (int kx = 0; kx < x.window(); kx++) {
        int column = x.index(outX, kx);
        visit.at(column < 0 ? -1 : line + column, tap + kx, 1);
      }
      return;
    }
    int start = outX * x.stride() - x.before();
    int first = Math.clamp(-start, 0, x.window());
    int end = Math.clamp(x.in() - start, first, x.window());
    visit.at(-1, tap, first);
    visit.at(line + start + first, tap + first, end - first);
    visit.at(-1, tap + end, x.window() - end);
  }
}

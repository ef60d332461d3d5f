package io.headrace.kernels.nn;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;

/**
 * A window that slides over images, which lie pixel by pixel, one image after the other. Images are
 * volumes here, flat ones of one layer.
 *
 * @param images how many there are
 * @param z its places along the depth
 * @param y its places along the height
 * @param x its places along the width
 */
record SlidingWindow(int images, SlidingAxis z, SlidingAxis y, SlidingAxis x) {
  /** Takes one pixel of an image into account at one place. */
  @FunctionalInterface
  interface Visit {
    /**
     * Called for each pixel that the window takes in.
     *
     * @param pixel which of all images' pixels
     * @param place which of all images' places
     * @param tap which of the window's pixels
     */
    void at(int pixel, int place, int tap);
  }

  /** Takes pixels of a line into account that the window takes in side by side. */
  @FunctionalInterface
  interface RunVisit {
    /**
     * Called for each run.
     *
     * @param pixel the first of all images' pixels; -1 of padding
     * @param tap the first of the window's pixels
     * @param count how many
     */
    void at(int pixel, int tap, int count);
  }

  /** Places of the window, over all images. */
  int places() {
    return Shape.of(images, z.out(), y.out(), x.out()).elements();
  }

  /** Pixels that the window takes in at a place, padding among them. */
  int taps() {
    return Shape.of(z.window(), y.window(), x.window()).elements();
  }

  /** Whether the window is one pixel and takes in each in turn. */
  boolean isIdentity() {
    return isIdentity(z) && isIdentity(y) && isIdentity(x);
  }

  private static boolean isIdentity(SlidingAxis axis) {
    return axis.window() == 1
        && axis.stride() == 1
        && axis.before() == 0
        && axis.in() == axis.out();
  }

  /** Visits each pixel that the window takes in; those of one place in the window's order. */
  void slide(Cancellation stop, Visit visit) {
    for (int line = 0; line < images * z.out() * y.out(); line++) {
      stop.check();
      int image = line / (z.out() * y.out());
      for (int kz = 0; kz < z.window(); kz++) {
        int layer = z.index(line / y.out() % z.out(), kz);
        for (int ky = 0; ky < y.window() && layer >= 0; ky++) {
          int row = y.index(line % y.out(), ky);
          if (row >= 0) {
            int first = ((image * z.in() + layer) * y.in() + row) * x.in();
            slideAlong(first, line * x.out(), (kz * y.window() + ky) * x.window(), visit);
          }
        }
      }
    }
  }

  private void slideAlong(int firstPixel, int firstPlace, int firstTap, Visit visit) {
    for (int place = 0; place < x.out(); place++) {
      for (int kx = 0; kx < x.window(); kx++) {
        int column = x.index(place, kx);
        if (column >= 0) {
          visit.at(firstPixel + column, firstPlace + place, firstTap + kx);
        }
      }
    }
  }

  /** Visits what the window takes in at {@code place}, tap after tap, padding too. */
  void visit(int place, RunVisit visit) {
    int outX = place % x.out();
    int outY = place / x.out() % y.out();
    int outZ = place / x.out() / y.out() % z.out();
    int image = place / x.out() / y.out() / z.out();
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

package io.headrace.kernels.image.jpeg;

import java.util.Arrays;

/**
 * The precision to which a progressive image's coefficients are known, by component and zigzag
 * index: the lowest bit read, -1 if nothing was. It remembers the state before the last scan, too.
 */
final class SpectralProgress {
  static final int UNKNOWN = -1;
  private static final int MAX_LOW_BIT = 13;

  /** The coefficients whose earlier state is remembered: those that smoothing estimates. */
  static final int SMOOTHED = 10;

  private final int[][] now;
  private final int[][] before;

  SpectralProgress(int components) {
    now = new int[components][Zigzag.COEFFICIENTS];
    before = new int[components][Zigzag.COEFFICIENTS];
    for (int i = 0; i < components; i++) {
      Arrays.fill(now[i], UNKNOWN);
      Arrays.fill(before[i], UNKNOWN);
    }
  }

  int[] now(int component) {
    return now[component];
  }

  /** The state before the last scan of this component. */
  int[] before(int component) {
    return before[component];
  }

  /** Notes {@code scan}, the {@code number}th of the image, from 1. */
  void add(ScanHeader scan, int number) throws JpegException {
    check(scan);
    for (FrameComponent component : scan.components()) {
      int[] bits = now[component.index];
      int first = Math.min(scan.spectralStart(), 1);
      int last = Math.max(scan.spectralEnd(), SMOOTHED - 1);
      for (int k = first; k <= last; k++) {
        before[component.index][k] = number > 1 ? bits[k] : 0;
      }
      Arrays.fill(bits, scan.spectralStart(), scan.spectralEnd() + 1, scan.low());
    }
  }

  private static void check(ScanHeader scan) throws JpegException {
    boolean band =
        scan.spectralStart() == 0
            ? scan.spectralEnd() == 0
            : scan.spectralStart() <= scan.spectralEnd()
                && scan.spectralEnd() < Zigzag.COEFFICIENTS
                && !scan.isInterleaved();
    boolean bits = (scan.high() == 0 || scan.low() == scan.high() - 1) && scan.low() <= MAX_LOW_BIT;
    if (!band || !bits) {
      throw new JpegException("a scan's parameters are not those of a progressive image");
    }
  }
}

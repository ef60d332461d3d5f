package io.headrace.kernels.image.jpeg;

import java.util.Arrays;

/**
 * Expands a component's rows to the size of the output: by repeating samples, or by interpolating
 * with weights of 3/4 and 1/4.
 */
final class Upsampler {
  /** The ways of expanding. */
  private enum Method {
    COPY,
    REPEAT,
    SMOOTH_COLUMNS,
    SMOOTH_ROWS,
    SMOOTH_BOTH
  }

  private final FrameComponent component;
  private final SamplePlane plane;
  private final Method method;
  private final int horizontal;
  private final int vertical;

  /** The samples of a row. */
  private final int columns;

  private final int[] sums;

  private Upsampler(
      FrameComponent component,
      SamplePlane plane,
      Method method,
      int horizontal,
      int vertical,
      int columns) {
    this.component = component;
    this.plane = plane;
    this.method = method;
    this.horizontal = horizontal;
    this.vertical = vertical;
    this.columns = columns;
    sums = new int[method == Method.SMOOTH_BOTH ? columns : 0];
  }

  /** The upsampler of {@code component}, whose samples {@code plane} holds. */
  static Upsampler of(
      FrameComponent component, SamplePlane plane, OutputGeometry geometry, boolean isFancy)
      throws JpegException {
    int columns = geometry.columns(component);
    // libjpeg chooses anew only if a crop leaves a single column.
    boolean rechooses = rechooses(geometry);
    Method method = method(component, geometry, isFancy, rechooses ? columns : component.width);
    return new Upsampler(
        component,
        plane,
        method,
        horizontal(component, geometry),
        vertical(component, geometry),
        columns);
  }

  private static boolean rechooses(OutputGeometry geometry) {
    for (FrameComponent component : geometry.frame.components()) {
      if (geometry.columns(component) < 2 && component.width >= 2) {
        return true;
      }
    }
    return false;
  }

  /** Whether any component needs the rows above and below. */
  static boolean needsContext(OutputGeometry geometry, boolean isFancy) throws JpegException {
    for (FrameComponent component : geometry.frame.components()) {
      if (component.isNeeded) {
        Method method = method(component, geometry, isFancy, component.width);
        if (method == Method.SMOOTH_ROWS || method == Method.SMOOTH_BOTH) {
          return true;
        }
      }
    }
    return false;
  }

  private static int horizontal(FrameComponent component, OutputGeometry geometry)
      throws JpegException {
    int factor = component.horizontal * component.blockSize / geometry.blockSize;
    return quotient(geometry.maxHorizontal, factor);
  }

  private static int vertical(FrameComponent component, OutputGeometry geometry)
      throws JpegException {
    int factor = component.vertical * component.blockSize / geometry.blockSize;
    return quotient(geometry.maxVertical, factor);
  }

  private static int quotient(int max, int factor) throws JpegException {
    if (max % factor != 0) {
      throw new JpegException("a component's size is not an integral part of the image's");
    }
    return max / factor;
  }

  private static Method method(
      FrameComponent component, OutputGeometry geometry, boolean isFancy, int columns)
      throws JpegException {
    int horizontal = horizontal(component, geometry);
    int vertical = vertical(component, geometry);
    boolean smooths = isFancy && geometry.blockSize > 1;
    if (horizontal == 1 && vertical == 1) {
      return Method.COPY;
    }
    if (smooths && horizontal == 2 && vertical == 1 && columns > 2) {
      return Method.SMOOTH_COLUMNS;
    }
    if (smooths && horizontal == 1 && vertical == 2) {
      return Method.SMOOTH_ROWS;
    }
    if (smooths && horizontal == 2 && vertical == 2 && columns > 2) {
      return Method.SMOOTH_BOTH;
    }
    return Method.REPEAT;
  }

  /** Writes the component's samples for {@code line} of the output. */
  void expand(int line, byte[] out) {
    int row = line / vertical;
    int start = plane.rowStart(row);
    switch (method) {
      case COPY -> System.arraycopy(plane.samples(), start, out, 0, columns);
      case REPEAT -> repeat(start, out);
      case SMOOTH_COLUMNS -> smoothColumns(start, out);
      case SMOOTH_ROWS -> smoothRows(start, neighbour(line, row), line % 2, out);
      case SMOOTH_BOTH -> smoothBoth(start, neighbour(line, row), out);
    }
  }

  /** The start of the row whose weight is 1/4; the image's edges repeat. */
  private int neighbour(int line, int row) {
    int next = line % 2 == 0 ? row - 1 : row + 1;
    return plane.rowStart(Math.clamp(next, 0, component.height - 1));
  }

  private void repeat(int start, byte[] out) {
    byte[] in = plane.samples();
    for (int i = 0; i < columns; i++) {
      int to = Math.min(out.length, (i + 1) * horizontal);
      Arrays.fill(out, Math.min(to, i * horizontal), to, in[start + i]);
    }
  }

  private void smoothColumns(int start, byte[] out) {
    byte[] in = plane.samples();
    int last = columns - 1;
    out[0] = in[start];
    for (int i = 0; i < last; i++) {
      int left = in[start + i] & 0xff;
      int right = in[start + i + 1] & 0xff;
      // Halves are rounded up and down in turn.
      out[2 * i + 1] = (byte) ((3 * left + right + 2) >> 2);
      out[2 * i + 2] = (byte) ((left + 3 * right + 1) >> 2);
    }
    out[2 * last + 1] = in[start + last];
  }

  private void smoothRows(int near, int far, int bias, byte[] out) {
    byte[] in = plane.samples();
    for (int i = 0; i < columns; i++) {
      int sum = 3 * (in[near + i] & 0xff) + (in[far + i] & 0xff);
      out[i] = (byte) ((sum + 1 + bias) >> 2);
    }
  }

  private void smoothBoth(int near, int far, byte[] out) {
    byte[] in = plane.samples();
    for (int i = 0; i < columns; i++) {
      sums[i] = 3 * (in[near + i] & 0xff) + (in[far + i] & 0xff);
    }
    int last = columns - 1;
    out[0] = (byte) ((4 * sums[0] + 8) >> 4);
    for (int i = 0; i < last; i++) {
      out[2 * i + 1] = (byte) ((3 * sums[i] + sums[i + 1] + 7) >> 4);
      out[2 * i + 2] = (byte) ((sums[i] + 3 * sums[i + 1] + 8) >> 4);
    }
    out[2 * last + 1] = (byte) ((4 * sums[last] + 7) >> 4);
  }
}

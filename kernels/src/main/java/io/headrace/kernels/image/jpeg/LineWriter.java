package io.headrace.kernels.image.jpeg;

import org.jspecify.annotations.Nullable;

/** Collects the samples of components, and writes the lines of the wanted part of the image. */
final class LineWriter {
  private final OutputGeometry geometry;
  private final ColorConversion colors;
  private final boolean isFancy;
  private final boolean needsContext;
  private final int firstRow;
  private final int lastRow;
  private final @Nullable SamplePlane[] planes;
  private final @Nullable Upsampler[] upsamplers;

  LineWriter(OutputGeometry geometry, ColorConversion colors, JpegDecompressor.Settings settings)
      throws JpegException {
    this.geometry = geometry;
    this.colors = colors;
    this.isFancy = settings.isFancy();
    needsContext = Upsampler.needsContext(geometry, isFancy);
    FrameComponent[] components = geometry.frame.components();
    JpegDecompressor.Window window = geometry.window;
    firstRow = Math.max(0, window.y() / geometry.linesPerRow() - 1);
    lastRow = lastRow(window.y() + window.height() - 1);
    int rows = lastRow - firstRow + 1;
    long bytes = (long) window.height() * window.width() * colors.channels();
    for (FrameComponent component : components) {
      bytes += component.isNeeded ? SamplePlane.bytes(component, geometry, rows) : 0;
    }
    JpegDecompressor.reserve(bytes);
    planes = new @Nullable SamplePlane[components.length];
    upsamplers = new @Nullable Upsampler[components.length];
    for (FrameComponent component : components) {
      if (component.isNeeded) {
        SamplePlane plane =
            new SamplePlane(component, geometry, settings.isAccurate(), firstRow, rows);
        planes[component.index] = plane;
        upsamplers[component.index] = Upsampler.of(component, plane, geometry, isFancy);
      }
    }
  }

  /** The row of MCUs with which {@code line} can be written: the next one if it is needed. */
  private int lastRow(int line) {
    int row = line / geometry.linesPerRow();
    boolean isLastGroup =
        line % geometry.linesPerRow() >= geometry.linesPerRow() - geometry.maxVertical;
    boolean needsNext = needsContext && isLastGroup && row < geometry.frame.mcuRows() - 1;
    return needsNext ? row + 1 : row;
  }

  /** The last row of MCUs that is needed. */
  int lastRow() {
    return lastRow;
  }

  /** Whether the wanted part reaches the image's last line. */
  boolean isToBottom() {
    return geometry.window.y() + geometry.window.height() == geometry.height;
  }

  /** The samples of a needed component. */
  SamplePlane plane(FrameComponent component) {
    SamplePlane plane = planes[component.index];
    if (plane == null) {
      throw new AssertionError(component.index);
    }
    return plane;
  }

  /** Transforms the blocks of all needed rows. */
  void transform(CoefficientStore store, @Nullable BlockSmoother smoother) {
    for (FrameComponent component : geometry.frame.components()) {
      for (int row = firstRow; component.isNeeded && row <= lastRow; row++) {
        SamplePlane plane = plane(component);
        if (smoother == null) {
          transform(component, row, store, plane);
        } else {
          smoother.put(component, row, plane);
        }
      }
    }
  }

  private static void transform(
      FrameComponent component, int row, CoefficientStore store, SamplePlane plane) {
    for (int y = 0; y < component.vertical; y++) {
      int blockRow = row * component.vertical + y;
      for (int column = plane.firstBlock(); column <= plane.lastBlock(); column++) {
        if (plane.contains(blockRow, column)) {
          plane.put(blockRow, column, store.row(component, blockRow), column * Zigzag.COEFFICIENTS);
        }
      }
    }
  }

  /** Writes the lines for which {@code rows} rows of MCUs suffice; the others are zeros. */
  JpegDecompressor.Image write(int rows, boolean hasAdobeMarker) {
    JpegDecompressor.Window window = geometry.window;
    int channels = colors.channels();
    int lineBytes = window.width() * channels;
    byte[] samples = new byte[window.height() * lineBytes];
    byte[][] expanded = new byte[planes.length][geometry.columns + 2];
    int end = Math.clamp(availableLines(rows), window.y(), window.y() + window.height());
    for (int line = window.y(); line < end; line++) {
      for (int i = 0; i < upsamplers.length; i++) {
        Upsampler upsampler = upsamplers[i];
        if (upsampler != null) {
          upsampler.expand(line, expanded[i]);
        }
      }
      int from = geometry.columns - window.width();
      colors.convert(expanded, from, window.width(), samples, (line - window.y()) * lineBytes);
    }
    return new JpegDecompressor.Image(
        window.height(), window.width(), channels, samples, end - window.y(), hasAdobeMarker);
  }

  private int availableLines(int rows) {
    int lines = rows * geometry.linesPerRow();
    if (rows >= geometry.frame.mcuRows()) {
      return geometry.height;
    }
    return needsContext && rows > 0 ? lines - geometry.maxVertical : lines;
  }
}

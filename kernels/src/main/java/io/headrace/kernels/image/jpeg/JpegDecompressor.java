package io.headrace.kernels.image.jpeg;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses JPEG files, ITU-T T.81: baseline, extended sequential and progressive, with Huffman
 * and arithmetic coding. For every file, damaged ones too, the samples are those of libjpeg-turbo
 * 2.1 as TensorFlow uses it.
 *
 * <p>One instance decompresses one file, in one thread.
 */
public final class JpegDecompressor {
  private static final long MAX_SAMPLES = 1L << 29;

  /** More scans than any encoder writes; each takes time in proportion to the image. */
  private static final int MAX_SCANS = 500;

  private final MarkerReader markers;
  private final Settings settings;

  private JpegDecompressor(byte[] file, Settings settings) {
    this.markers = new MarkerReader(new JpegInput(file, settings.recoversTruncated()));
    this.settings = settings;
  }

  /**
   * The wishes for a file.
   *
   * @param channels 1 for gray, 3 for RGB, 0 for what the file has
   * @param ratio downscaling factor: 1, 2, 4 or 8
   * @param isFancy whether subsampled colors are interpolated
   * @param isAccurate whether the accurate inverse DCT is used instead of the fast one
   * @param recoversTruncated whether a file's end counts as the end of its image
   * @param crop the part of the scaled image to decompress; null for all
   */
  public record Settings(
      int channels,
      int ratio,
      boolean isFancy,
      boolean isAccurate,
      boolean recoversTruncated,
      @Nullable Window crop) {}

  /**
   * A part of an image.
   *
   * @param y the first line
   * @param x the first column
   * @param height in lines
   * @param width in columns
   */
  public record Window(int y, int x, int height, int width) {
    boolean isWithin(int imageHeight, int imageWidth) {
      return y >= 0
          && x >= 0
          && height > 0
          && width > 0
          && (long) y + height <= imageHeight
          && (long) x + width <= imageWidth;
    }
  }

  /**
   * A decompressed image.
   *
   * @param height in lines
   * @param width in columns
   * @param channels 1 for gray, 3 for RGB, 4 for CMYK
   * @param samples by line, column and channel
   * @param lines the lines for which the file had data; the others are zeros
   * @param hasAdobeMarker whether the file has Adobe's marker, with which CMYK is inverted
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Image(
      int height, int width, int channels, byte[] samples, int lines, boolean hasAdobeMarker) {}

  /**
   * The header of a file: its image as told before the first scan.
   *
   * @param height in lines
   * @param width in columns
   * @param components number of color components
   */
  public record Header(int height, int width, int components) {}

  /** The header of {@code file}; null if libjpeg refuses one of its segments before a scan. */
  public static @Nullable Header readHeader(byte[] file) {
    MarkerReader markers = new MarkerReader(new JpegInput(file, false));
    try {
      if (markers.next() == null) {
        return null;
      }
      FrameHeader frame = markers.frame();
      frame.prepare();
      return new Header(frame.height(), frame.width(), frame.components().length);
    } catch (JpegException _) {
      return null; // as for all damage
    }
  }

  /**
   * Decompresses {@code file}; null if it is damaged beyond what libjpeg accepts, or the crop is
   * not within the image. RESOURCE_EXHAUSTED, before memory is taken, if it would pass the bound
   * for tensors.
   */
  public static @Nullable Image decompress(byte[] file, Settings settings) {
    try {
      return new JpegDecompressor(file, settings).decompress();
    } catch (JpegException _) {
      return null; // callers have one message for all damage
    }
  }

  private Image decompress() throws JpegException {
    ScanHeader first = markers.next();
    if (first == null) {
      throw new JpegException("there is no image");
    }
    FrameHeader frame = markers.frame();
    frame.prepare();
    int wanted =
        settings.channels() == 0 ? Math.min(frame.components().length, 3) : settings.channels();
    ColorConversion colors = ColorConversion.of(markers, wanted);
    if (colors == null) {
      throw new JpegException("the image's colors cannot be converted");
    }
    for (FrameComponent component : frame.components()) {
      component.isNeeded = colors.channels() > 1 || component.index == 0 || isAllNeeded(colors);
    }
    OutputGeometry geometry = new OutputGeometry(frame, settings.ratio(), settings.crop());
    if ((long) geometry.height * geometry.width * frame.components().length >= MAX_SAMPLES) {
      throw new JpegException("the image is too large");
    }
    SpectralProgress progress = new SpectralProgress(frame.components().length);
    EntropyDecoder entropy = EntropyDecoder.of(markers, progress);
    LineWriter lines = new LineWriter(geometry, colors, settings);
    boolean hasManyScans =
        first.components().length < frame.components().length || frame.isProgressive();
    int rows =
        hasManyScans
            ? decodeScans(first, entropy, lines, progress)
            : decodeScan(first, entropy, lines);
    return lines.write(rows, markers.adobeTransform() >= 0);
  }

  private static boolean isAllNeeded(ColorConversion colors) {
    return colors == ColorConversion.RGB_TO_GRAY;
  }

  static void reserve(long bytes) {
    if (bytes > TensorLimit.maxBytes()) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "decoding a JPEG image takes %d bytes, which passes the bound of %d bytes for one tensor",
          bytes,
          TensorLimit.maxBytes());
    }
  }

  private void start(ScanHeader scan, EntropyDecoder entropy) throws JpegException {
    scan.membership();
    for (FrameComponent component : scan.components()) {
      if (component.quantization == null) {
        component.quantization = markers.quantTable(component.quantTable).clone();
      }
    }
    entropy.start(scan);
  }

  /** Decodes the only scan as far as wanted, and returns the rows of MCUs for which it has data. */
  private int decodeScan(ScanHeader scan, EntropyDecoder entropy, LineWriter lines)
      throws JpegException {
    FrameHeader frame = markers.frame();
    start(scan, entropy);
    BlockSink sink = new BlockSink(scan, frame);
    int wanted = lines.lastRow() + 1;
    for (int row = 0; row < wanted; row++) {
      try {
        sink.decode(row, entropy, lines);
      } catch (OutOfDataException _) {
        return row;
      }
    }
    if (lines.isToBottom()) {
      finish();
    }
    return frame.mcuRows();
  }

  /** Reads to the end of the image, where another scan is damage. */
  private void finish() throws JpegException {
    try {
      if (markers.next() != null) {
        throw new JpegException("there is another scan");
      }
    } catch (OutOfDataException _) {
      // The image is complete.
    }
  }

  private int decodeScans(
      ScanHeader first, EntropyDecoder entropy, LineWriter lines, SpectralProgress progress)
      throws JpegException {
    FrameHeader frame = markers.frame();
    reserve(CoefficientStore.bytes(frame));
    CoefficientStore store = new CoefficientStore(frame);
    int lastGoodRow = 0;
    for (ScanHeader scan = first; scan != null; scan = markers.next()) {
      if (markers.scans() > MAX_SCANS) {
        throw new JpegException("there are too many scans");
      }
      start(scan, entropy);
      lastGoodRow = new BlockSink(scan, frame).decodeInto(store, entropy);
    }
    BlockSmoother smoother =
        frame.isProgressive()
            ? BlockSmoother.of(frame, store, progress, markers.scans(), lastGoodRow)
            : null;
    lines.transform(store, smoother);
    return frame.mcuRows();
  }
}

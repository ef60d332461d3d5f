package io.headrace.kernels.image;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Decodes PNG files to requested channels and bit depth, converting as libpng does. */
final class PngDecoder {
  /** Adam7 interlacing: the first column and row of each pass, and the steps between pixels. */
  private static final int[] PASS_X = {0, 4, 0, 2, 0, 1, 0};

  private static final int[] PASS_Y = {0, 0, 4, 0, 2, 0, 1};
  private static final int[] STEP_X = {8, 8, 4, 4, 2, 2, 1};
  private static final int[] STEP_Y = {8, 8, 8, 4, 4, 2, 2};

  // The luma weights of ITU-R BT.601, in 1/32768; blue's is the remainder.
  private static final int RED = 9797;
  private static final int GREEN = 19234;
  private static final int BLUE = 32768 - RED - GREEN;

  /** Deflate makes at most 258 bytes of two bits: a length and a distance of one bit each. */
  private static final int MAX_EXPANSION = 1032;

  private final PngFile png;
  private final int channels;
  private final boolean wide;
  private final Object samples;
  private final Inflater inflater = new Inflater();
  private final int[] pixel = new int[4];

  private PngDecoder(PngFile png, int channels, boolean wide) {
    this.png = png;
    this.channels = channels;
    this.wide = wide;
    checkDataSuffices();
    DataType dtype = wide ? DataType.UINT16 : DataType.UINT8;
    this.samples = TensorLimit.allocate(dtype, Shape.of(png.height, png.width, channels));
  }

  /**
   * Decodes {@code file} to {@code channels} channels, or those of the file if 0; to 16-bit samples
   * if {@code wide}.
   */
  static Pixels decode(byte[] file, int channels, boolean wide) {
    PngFile png = PngFile.parse(file);
    int count = channels == 0 ? png.channels() : channels;
    PngDecoder decoder = new PngDecoder(png, count, wide);
    try {
      decoder.run();
    } catch (DataFormatException _) {
      throw png.invalidData();
    } finally {
      decoder.inflater.end();
    }
    return new Pixels(1, png.height, png.width, count, decoder.samples);
  }

  /** Refuses, before the pixels are allocated, a file with too little data to fill them. */
  private void checkDataSuffices() {
    long pixelBits = (long) png.samples() * png.bitDepth * png.width * png.height;
    if (pixelBits / Byte.SIZE > (long) MAX_EXPANSION * png.compressed.length) {
      throw png.invalidData();
    }
  }

  private void run() throws DataFormatException {
    inflater.setInput(png.compressed);
    if (png.interlaced) {
      for (int pass = 0; pass < PASS_X.length; pass++) {
        if (PASS_X[pass] < png.width && PASS_Y[pass] < png.height) {
          pass(PASS_X[pass], PASS_Y[pass], STEP_X[pass], STEP_Y[pass]);
        }
      }
    } else {
      pass(0, 0, 1, 1);
    }
    checkEnd();
  }

  /**
   * Reads on behind the pixels as libpng does, in pieces of 1 KiB until one is empty or damaged:
   * data may be left over, but must not end before its stream does.
   */
  private void checkEnd() {
    byte[] piece = new byte[1 << 10];
    int count = 1;
    while (count > 0 && !inflater.finished()) {
      if (inflater.needsInput()) {
        throw png.invalidData();
      }
      try {
        count = inflater.inflate(piece);
      } catch (DataFormatException _) {
        return;
      }
    }
  }

  private void pass(int fromX, int fromY, int stepX, int stepY) throws DataFormatException {
    int columns = (png.width - fromX + stepX - 1) / stepX;
    int bitsPerPixel = png.samples() * png.bitDepth;
    int rowBytes = (int) (((long) columns * bitsPerPixel + 7) / 8);
    int pixelBytes = Math.max(1, bitsPerPixel / 8);
    byte[] row = new byte[rowBytes + 1];
    byte[] above = new byte[rowBytes + 1];
    for (int y = fromY; y < png.height; y += stepY) {
      fill(row);
      unfilter(row, above, pixelBytes);
      if (isCopy() && stepX == 1) {
        System.arraycopy(row, 1, samples, y * png.width * channels, rowBytes);
      } else {
        for (int x = 0; x < columns; x++) {
          set(row, x, y, fromX + x * stepX);
        }
      }
      byte[] swapped = above;
      above = row;
      row = swapped;
    }
  }

  /** Whether unfiltered rows need no conversion. */
  private boolean isCopy() {
    return !wide
        && png.bitDepth == 8
        && png.colorType != PngFile.PALETTE
        && png.samples() == channels;
  }

  private void fill(byte[] row) throws DataFormatException {
    int filled = 0;
    while (filled < row.length) {
      int more = inflater.inflate(row, filled, row.length - filled);
      if (more == 0
          && (inflater.finished() || inflater.needsInput() || inflater.needsDictionary())) {
        throw png.invalidData();
      }
      filled += more;
    }
  }

  /** Undoes the row's filter, whose type is in its first byte. */
  private void unfilter(byte[] row, byte[] above, int distance) {
    switch (row[0]) {
      case 0 -> {}
      case 1 -> {
        for (int i = 1 + distance; i < row.length; i++) {
          row[i] = (byte) (row[i] + row[i - distance]);
        }
      }
      case 2 -> {
        for (int i = 1; i < row.length; i++) {
          row[i] = (byte) (row[i] + above[i]);
        }
      }
      case 3 -> {
        for (int i = 1; i < row.length; i++) {
          int left = i > distance ? row[i - distance] & 0xff : 0;
          row[i] = (byte) (row[i] + (left + (above[i] & 0xff)) / 2);
        }
      }
      case 4 -> {
        for (int i = 1; i < row.length; i++) {
          int left = i > distance ? row[i - distance] & 0xff : 0;
          int corner = i > distance ? above[i - distance] & 0xff : 0;
          row[i] = (byte) (row[i] + paeth(left, above[i] & 0xff, corner));
        }
      }
      default -> throw png.invalidData();
    }
  }

  private static int paeth(int left, int up, int corner) {
    int toLeft = Math.abs(up - corner);
    int toUp = Math.abs(left - corner);
    int toCorner = Math.abs(left + up - 2 * corner);
    if (toLeft <= toUp && toLeft <= toCorner) {
      return left;
    }
    return toUp <= toCorner ? up : corner;
  }

  /** Converts pixel {@code index} of a pass's row and stores it at ({@code y}, {@code x}). */
  private void set(byte[] row, int index, int y, int x) {
    int full = png.bitDepth == 16 ? 0xffff : 0xff;
    boolean gray = png.colorType == PngFile.GRAY || png.colorType == PngFile.GRAY_ALPHA;
    int alpha = read(row, index);
    int opaque = alpha >= 0 ? alpha : png.transparency.length > 0 ? full : (1 << png.bitDepth) - 1;
    int at = (y * png.width + x) * channels;
    if (channels < 3) {
      put(at, gray ? pixel[0] : luma(full));
    } else {
      put(at, pixel[0]);
      put(at + 1, gray ? pixel[0] : pixel[1]);
      put(at + 2, gray ? pixel[0] : pixel[2]);
    }
    if (channels % 2 == 0) {
      put(at + channels - 1, opaque);
    }
  }

  private int luma(int full) {
    if (pixel[0] == pixel[1] && pixel[1] == pixel[2]) {
      return pixel[0];
    }
    long sum = (long) RED * pixel[0] + (long) GREEN * pixel[1] + (long) BLUE * pixel[2];
    return (int) ((full == 0xff ? sum : sum + 16384) >> 15);
  }

  private void put(int at, int value) {
    switch (samples) {
      case byte[] a -> a[at] = (byte) (png.bitDepth == 16 ? value >> 8 : value);
      case short[] a -> a[at] = (short) (png.bitDepth == 16 ? value : value * 257);
      default -> throw new AssertionError(samples.getClass());
    }
  }

  /**
   * Reads a pixel into {@code pixel}, scaled to 8 bits if it has fewer; returns its alpha, or -1 if
   * it is opaque.
   */
  private int read(byte[] row, int index) {
    int count = png.samples();
    if (png.bitDepth == 16) {
      for (int i = 0; i < count; i++) {
        int at = 1 + (index * count + i) * 2;
        pixel[i] = (row[at] & 0xff) << 8 | (row[at + 1] & 0xff);
      }
    } else if (png.bitDepth == 8) {
      for (int i = 0; i < count; i++) {
        pixel[i] = row[1 + index * count + i] & 0xff;
      }
    } else {
      int bit = index * png.bitDepth;
      int shift = 8 - png.bitDepth - bit % 8;
      pixel[0] = (row[1 + bit / 8] & 0xff) >> shift & (1 << png.bitDepth) - 1;
    }
    return switch (png.colorType) {
      case PngFile.PALETTE -> lookUp(pixel[0]);
      case PngFile.GRAY_ALPHA -> pixel[1];
      case PngFile.RGBA -> pixel[3];
      default -> transparent();
    };
  }

  /** Replaces a palette index by its color; returns its alpha, or -1 without transparency. */
  private int lookUp(int color) {
    for (int i = 0; i < 3; i++) {
      int at = color * 3 + i;
      pixel[i] = at < png.palette.length ? png.palette[at] & 0xff : 0;
    }
    if (png.transparency.length == 0) {
      return -1;
    }
    return color < png.transparency.length ? png.transparency[color] & 0xff : 0xff;
  }

  /** Scales the pixel to 8 bits; returns 0 if it has the tRNS chunk's color, or else -1. */
  private int transparent() {
    int count = png.samples();
    boolean matches = png.transparency.length >= 2 * count;
    for (int i = 0; i < count && matches; i++) {
      int color = (png.transparency[2 * i] & 0xff) << 8 | (png.transparency[2 * i + 1] & 0xff);
      matches = (png.bitDepth == 16 ? color : color & (1 << png.bitDepth) - 1) == pixel[i];
    }
    if (png.bitDepth < 8) {
      pixel[0] *= 255 / ((1 << png.bitDepth) - 1);
    }
    return matches ? 0 : -1;
  }
}

package io.headrace.kernels.image.jpeg;

import org.jspecify.annotations.Nullable;

/** The conversion of a row of components, all of the output's width, to the output's colors. */
enum ColorConversion {
  /** The first component, of a gray image or of one in YCbCr. */
  FIRST(1) {
    @Override
    void convert(byte[][] rows, int from, int count, byte[] out, int to) {
      System.arraycopy(rows[0], from, out, to, count);
    }
  },
  GRAY_TO_RGB(3) {
    @Override
    void convert(byte[][] rows, int from, int count, byte[] out, int to) {
      int at = to;
      for (int i = from; i < from + count; i++) {
        byte gray = rows[0][i];
        out[at++] = gray;
        out[at++] = gray;
        out[at++] = gray;
      }
    }
  },
  RGB(3) {
    @Override
    void convert(byte[][] rows, int from, int count, byte[] out, int to) {
      interleave(rows, from, count, out, to, channels());
    }
  },
  RGB_TO_GRAY(1) {
    @Override
    void convert(byte[][] rows, int from, int count, byte[] out, int to) {
      for (int i = 0; i < count; i++) {
        int red = rows[0][from + i] & 0xff;
        int green = rows[1][from + i] & 0xff;
        int blue = rows[2][from + i] & 0xff;
        int gray = RED_PART * red + GREEN_PART * green + BLUE_PART * blue;
        out[to + i] = (byte) ((gray + HALF) >> FRACTION_BITS);
      }
    }
  },
  YCC_TO_RGB(3) {
    @Override
    void convert(byte[][] rows, int from, int count, byte[] out, int to) {
      int at = to;
      for (int i = from; i < from + count; i++) {
        int luma = rows[0][i] & 0xff;
        int blue = (rows[1][i] & 0xff) - CENTER;
        int red = (rows[2][i] & 0xff) - CENTER;
        out[at++] = clamped(luma + redOffset(red));
        out[at++] = clamped(luma + greenOffset(blue, red));
        out[at++] = clamped(luma + blueOffset(blue));
      }
    }
  },
  CMYK(4) {
    @Override
    void convert(byte[][] rows, int from, int count, byte[] out, int to) {
      interleave(rows, from, count, out, to, channels());
    }
  },
  /** The RGB of YCC is inverted to CMY; black remains. */
  YCCK_TO_CMYK(4) {
    @Override
    void convert(byte[][] rows, int from, int count, byte[] out, int to) {
      int at = to;
      for (int i = from; i < from + count; i++) {
        int luma = rows[0][i] & 0xff;
        int blue = (rows[1][i] & 0xff) - CENTER;
        int red = (rows[2][i] & 0xff) - CENTER;
        out[at++] = clamped(MAX_SAMPLE - (luma + redOffset(red)));
        out[at++] = clamped(MAX_SAMPLE - (luma + greenOffset(blue, red)));
        out[at++] = clamped(MAX_SAMPLE - (luma + blueOffset(blue)));
        out[at++] = rows[3][i];
      }
    }
  };

  private static final int CENTER = 128;
  private static final int MAX_SAMPLE = 255;

  // Factors of ITU-R BT.601 as JFIF has them, with 16 fractional bits.
  private static final int FRACTION_BITS = 16;
  private static final int HALF = 1 << (FRACTION_BITS - 1);
  private static final int RED_TO_RED = 91_881;
  private static final int BLUE_TO_BLUE = 116_130;
  private static final int RED_TO_GREEN = 46_802;
  private static final int BLUE_TO_GREEN = 22_554;
  private static final int RED_PART = 19_595;
  private static final int GREEN_PART = 38_470;
  private static final int BLUE_PART = 7_471;

  private static final int ADOBE_RGB_OR_CMYK = 0;
  private static final int ADOBE_YCC = 1;

  private final int channels;

  ColorConversion(int channels) {
    this.channels = channels;
  }

  /** The channels that a conversion gives. */
  int channels() {
    return channels;
  }

  /** Converts {@code count} pixels from column {@code from} on, into {@code out[to]} and on. */
  abstract void convert(byte[][] rows, int from, int count, byte[] out, int to);

  /**
   * The conversion of the image whose headers {@code markers} has read, to {@code channels}: 1 for
   * gray, 3 for RGB, or CMYK if the image has four colors; null if libjpeg has none.
   */
  static @Nullable ColorConversion of(MarkerReader markers, int channels) throws JpegException {
    FrameComponent[] components = markers.frame().components();
    boolean toGray = channels == 1;
    int adobe = markers.adobeTransform();
    return switch (components.length) {
      case 1 -> toGray ? FIRST : GRAY_TO_RGB;
      case 3 -> {
        if (isRgb(markers, components)) {
          yield toGray ? RGB_TO_GRAY : RGB;
        }
        yield toGray ? FIRST : YCC_TO_RGB;
      }
      case 4 -> {
        if (toGray) {
          yield null;
        }
        yield adobe <= ADOBE_RGB_OR_CMYK ? CMYK : YCCK_TO_CMYK;
      }
      default -> null;
    };
  }

  private static boolean isRgb(MarkerReader markers, FrameComponent[] components) {
    if (markers.isJfif() || markers.adobeTransform() >= ADOBE_YCC) {
      return false;
    }
    return markers.adobeTransform() == ADOBE_RGB_OR_CMYK
        || (components[0].id == 'R' && components[1].id == 'G' && components[2].id == 'B');
  }

  private static int redOffset(int red) {
    return (RED_TO_RED * red + HALF) >> FRACTION_BITS;
  }

  private static int greenOffset(int blue, int red) {
    return (-BLUE_TO_GREEN * blue - RED_TO_GREEN * red + HALF) >> FRACTION_BITS;
  }

  private static int blueOffset(int blue) {
    return (BLUE_TO_BLUE * blue + HALF) >> FRACTION_BITS;
  }

  private static byte clamped(int value) {
    return (byte) Math.clamp(value, 0, MAX_SAMPLE);
  }

  private static void interleave(
      byte[][] rows, int from, int count, byte[] out, int to, int channels) {
    for (int channel = 0; channel < channels; channel++) {
      byte[] row = rows[channel];
      for (int i = 0; i < count; i++) {
        out[to + i * channels + channel] = row[from + i];
      }
    }
  }
}

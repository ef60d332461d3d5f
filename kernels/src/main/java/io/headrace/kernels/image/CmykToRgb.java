package io.headrace.kernels.image;

/** Conversion of decoded CMYK images (cyan, magenta, yellow, black) to RGB, as in TensorFlow. */
final class CmykToRgb {
  private static final int MAX = 255;

  private CmykToRgb() {}

  /** Converts CMYK pixels to RGB; {@code inverted} if 0 is full ink, as Adobe's software writes. */
  static Pixels toRgb(Pixels pixels, boolean inverted) {
    byte[] in = (byte[]) pixels.samples();
    byte[] out = Pixels.allocate(pixels.height(), pixels.width(), 3);
    toRgb(in, 0, out, 0, in.length / 4, inverted);
    return Pixels.of(pixels.height(), pixels.width(), 3, out);
  }

  /** Converts {@code count} pixels from {@code in[from]} on to {@code out[to]} and what follows. */
  static void toRgb(byte[] in, int from, byte[] out, int to, int count, boolean inverted) {
    for (int i = from, j = to; j < to + 3 * count; i += 4, j += 3) {
      int black = in[i + 3] & 0xff;
      for (int c = 0; c < 3; c++) {
        int ink = in[i + c] & 0xff;
        int product = inverted ? black * ink : (MAX - black) * (MAX - ink);
        out[j + c] = (byte) (product / MAX);
      }
    }
  }
}

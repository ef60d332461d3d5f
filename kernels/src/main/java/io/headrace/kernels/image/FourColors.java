package io.headrace.kernels.image;

/** Images of cyan, magenta, yellow and black, made into red, green and blue as TensorFlow does. */
final class FourColors {
  private static final int MAX = 255;

  private FourColors() {}

  /** {@code pixels} of four channels as three; {@code inverted} as Adobe's software writes them. */
  static Pixels toRgb(Pixels pixels, boolean inverted) {
    byte[] in = (byte[]) pixels.samples();
    byte[] out = Pixels.allocate(pixels.height(), pixels.width(), 3);
    for (int i = 0, j = 0; i < in.length; i += 4, j += 3) {
      int black = in[i + 3] & 0xff;
      for (int c = 0; c < 3; c++) {
        int ink = in[i + c] & 0xff;
        int product = inverted ? black * ink : (MAX - black) * (MAX - ink);
        out[j + c] = (byte) (product / MAX);
      }
    }
    return Pixels.of(pixels.height(), pixels.width(), 3, out);
  }
}

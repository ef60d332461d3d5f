package io.headrace.kernels.image.webp;

/** Arithmetic on pixels of four bytes: alpha, red, green and blue, from the highest bits on. */
final class Argb {
  /** Opaque black. */
  static final int BLACK = 0xff000000;

  private Argb() {}

  /** Adds each byte, modulo 256. */
  static int add(int a, int b) {
    int alphaAndGreen = (a & 0xff00ff00) + (b & 0xff00ff00);
    int redAndBlue = (a & 0x00ff00ff) + (b & 0x00ff00ff);
    return (alphaAndGreen & 0xff00ff00) | (redAndBlue & 0x00ff00ff);
  }

  /** The mean of each byte, rounded down. */
  static int average(int a, int b) {
    return ((a ^ b) >>> 1 & 0x7f7f7f7f) + (a & b);
  }

  /** Of {@code left} and {@code top}, the one that is nearer to the plane through all three. */
  static int select(int left, int top, int topLeft) {
    int difference = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      int corner = topLeft >>> shift & 0xff;
      difference += Math.abs((left >>> shift & 0xff) - corner);
      difference -= Math.abs((top >>> shift & 0xff) - corner);
    }
    return difference <= 0 ? top : left;
  }

  /** The plane through all three, each byte clamped. */
  static int gradient(int left, int top, int topLeft) {
    int result = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      int sum = (left >>> shift & 0xff) + (top >>> shift & 0xff) - (topLeft >>> shift & 0xff);
      result |= Math.clamp(sum, 0, 255) << shift;
    }
    return result;
  }

  /** {@code mean} and half of what it exceeds {@code topLeft} by, each byte clamped. */
  static int halfGradient(int mean, int topLeft) {
    int result = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      int color = mean >>> shift & 0xff;
      int sum = color + (color - (topLeft >>> shift & 0xff)) / 2;
      result |= Math.clamp(sum, 0, 255) << shift;
    }
    return result;
  }
}

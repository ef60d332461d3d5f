package io.headrace.kernels.image.webp;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;

/** A change that an encoder made to the pixels of a lossless image, to be undone. */
sealed interface LosslessTransform {
  /** The width of the image after the transform, which is the one that is coded. */
  int codedWidth();

  /** Undoes the transform, in place where the width is the same. */
  int[] invert(int[] pixels, int height, Cancellation stop);

  /**
   * Each pixel is the difference to a prediction from its neighbors.
   *
   * @param modes how to predict, for each block, in the green channel
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Prediction(int codedWidth, int blockBits, int columns, int[] modes)
      implements LosslessTransform {
    @Override
    public int[] invert(int[] pixels, int height, Cancellation stop) {
      int width = codedWidth;
      pixels[0] = Argb.add(pixels[0], Argb.BLACK);
      for (int x = 1; x < width; x++) {
        pixels[x] = Argb.add(pixels[x], pixels[x - 1]);
      }
      for (int y = 1; y < height; y++) {
        stop.check();
        int row = y * width;
        pixels[row] = Argb.add(pixels[row], pixels[row - width]);
        for (int x = 1; x < width; x++) {
          int mode = modes[(y >>> blockBits) * columns + (x >>> blockBits)] >>> 8 & 15;
          pixels[row + x] = Argb.add(pixels[row + x], predicted(mode, pixels, row + x));
        }
      }
      return pixels;
    }

    private int predicted(int mode, int[] pixels, int at) {
      int left = pixels[at - 1];
      int top = pixels[at - codedWidth];
      int topLeft = pixels[at - codedWidth - 1];
      // Right of the last column is the first pixel of the next row.
      int topRight = pixels[at - codedWidth + 1];
      return switch (mode) {
        case 1 -> left;
        case 2 -> top;
        case 3 -> topRight;
        case 4 -> topLeft;
        case 5 -> Argb.average(Argb.average(left, topRight), top);
        case 6 -> Argb.average(left, topLeft);
        case 7 -> Argb.average(left, top);
        case 8 -> Argb.average(topLeft, top);
        case 9 -> Argb.average(top, topRight);
        case 10 -> Argb.average(Argb.average(left, topLeft), Argb.average(top, topRight));
        case 11 -> Argb.select(left, top, topLeft);
        case 12 -> Argb.gradient(left, top, topLeft);
        case 13 -> Argb.halfGradient(Argb.average(left, top), topLeft);
        default -> Argb.BLACK;
      };
    }
  }

  /**
   * Red and blue are differences to shares of green, blue also to one of red.
   *
   * @param shares for each block, those of green in red, of green in blue, and of red in blue, from
   *     the lowest bits on, in 32nds
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record CrossColor(int codedWidth, int blockBits, int columns, int[] shares)
      implements LosslessTransform {
    @Override
    public int[] invert(int[] pixels, int height, Cancellation stop) {
      for (int y = 0; y < height; y++) {
        stop.check();
        for (int x = 0; x < codedWidth; x++) {
          int share = shares[(y >>> blockBits) * columns + (x >>> blockBits)];
          int at = y * codedWidth + x;
          pixels[at] = inverted(pixels[at], share);
        }
      }
      return pixels;
    }

    private static int inverted(int pixel, int share) {
      int green = pixel >>> 8;
      int red = (pixel >>> 16) + part(share, green);
      int blue = pixel + part(share >>> 8, green) + part(share >>> 16, red);
      return (pixel & 0xff00ff00) | ((red & 0xff) << 16) | (blue & 0xff);
    }

    private static int part(int share, int color) {
      return ((byte) share * (byte) color) >> 5;
    }
  }

  /** Red and blue are differences to green. */
  record AddGreen(int codedWidth) implements LosslessTransform {
    @Override
    public int[] invert(int[] pixels, int height, Cancellation stop) {
      for (int i = 0; i < pixels.length; i++) {
        int green = pixels[i] >>> 8 & 0xff;
        int others = (pixels[i] & 0x00ff00ff) + (green << 16 | green);
        pixels[i] = (pixels[i] & 0xff00ff00) | (others & 0x00ff00ff);
      }
      return pixels;
    }
  }

  /**
   * Green is the index of a color, or of several neighbors' colors in 4, 2 or 1 bits each.
   *
   * @param width of the image
   * @param packing the logarithm of the number of pixels in one
   * @param colors of each index; transparent black for those that have none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Palette(int width, int packing, int[] colors) implements LosslessTransform {
    /** Of colors that are differences, each to the one before. */
    static Palette of(int width, int[] differences) {
      int count = differences.length;
      int packing = count > 16 ? 0 : count > 4 ? 1 : count > 2 ? 2 : 3;
      int[] colors = Arrays.copyOf(differences, 1 << (8 >> packing));
      for (int i = 1; i < count; i++) {
        colors[i] = Argb.add(colors[i], colors[i - 1]);
      }
      return new Palette(width, packing, colors);
    }

    @Override
    public int codedWidth() {
      return LosslessDecoder.blocks(width, packing);
    }

    @Override
    public int[] invert(int[] pixels, int height, Cancellation stop) {
      int[] result =
          packing == 0
              ? pixels
              : (int[]) TensorLimit.allocate(DataType.INT32, Shape.of(height, width));
      int coded = codedWidth();
      int bits = 8 >> packing;
      int mask = (1 << packing) - 1;
      for (int y = 0; y < height; y++) {
        stop.check();
        for (int x = 0; x < width; x++) {
          int indices = pixels[y * coded + (x >>> packing)] >>> 8 & 0xff;
          int index = indices >>> (bits * (x & mask)) & (1 << bits) - 1;
          result[y * width + x] = colors[index];
        }
      }
      return result;
    }
  }
}

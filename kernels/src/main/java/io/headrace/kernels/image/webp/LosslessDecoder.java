package io.headrace.kernels.image.webp;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Decodes lossless images (VP8L). It is Java, not libwebp's, since the libwebp at hand writes
 * beyond its tables for some hostile files of this kind (CVE-2023-4863). Memory is four bytes a
 * pixel, and the prefix codes. One instance decodes one image, in one thread.
 */
final class LosslessDecoder {
  private static final int HEADER_BYTES = 5;
  private static final int MAX_CACHE_BITS = 11;
  private static final int CACHE_HASH = 0x1e35a7bd;

  private final LosslessBits bits;
  private final Cancellation stop;

  private LosslessDecoder(LosslessBits bits, Cancellation stop) {
    this.bits = bits;
    this.stop = stop;
  }

  /** Decodes an image to pixels of alpha, red, green and blue, the last in the lowest bits. */
  static int[] decode(Bitstream image, byte[] file, int width, int height, Cancellation stop)
      throws WebpException {
    return decode(file, image.from() + HEADER_BYTES, image.to(), width, height, stop);
  }

  /** Decodes an image whose header is not from {@code from} to {@code to}. */
  static int[] decode(byte[] file, int from, int to, int width, int height, Cancellation stop)
      throws WebpException {
    return new LosslessDecoder(new LosslessBits(file, from, to), stop).decode(width, height);
  }

  private int[] decode(int width, int height) throws WebpException {
    Deque<LosslessTransform> transforms = new ArrayDeque<>();
    int seen = 0;
    int coded = width;
    while (bits.read(1) == 1) {
      int kind = bits.read(2);
      if ((seen & 1 << kind) != 0) {
        throw new WebpException("a transform is there twice");
      }
      seen |= 1 << kind;
      LosslessTransform transform = readTransform(kind, coded, height);
      coded = transform.codedWidth();
      transforms.push(transform);
    }
    int[] pixels = readImage(coded, height, true);
    for (LosslessTransform transform : transforms) {
      pixels = transform.invert(pixels, height, stop);
    }
    return pixels;
  }

  private LosslessTransform readTransform(int kind, int width, int height) throws WebpException {
    return switch (kind) {
      case 0, 1 -> {
        int blockBits = 2 + bits.read(3);
        int columns = blocks(width, blockBits);
        int[] blocks = readImage(columns, blocks(height, blockBits), false);
        yield kind == 0
            ? new LosslessTransform.Prediction(width, blockBits, columns, blocks)
            : new LosslessTransform.CrossColor(width, blockBits, columns, blocks);
      }
      case 2 -> new LosslessTransform.AddGreen(width);
      default -> {
        int colors = 1 + bits.read(8);
        yield LosslessTransform.Palette.of(width, readImage(colors, 1, false));
      }
    };
  }

  /** The blocks of a side of 2 to the {@code blockBits} in {@code pixels} pixels. */
  static int blocks(int pixels, int blockBits) {
    return (pixels + (1 << blockBits) - 1) >>> blockBits;
  }

  /** Reads an image; only the file's own may have several groups of prefix codes. */
  private int[] readImage(int width, int height, boolean isMain) throws WebpException {
    int cacheBits = 0;
    if (bits.read(1) == 1) {
      cacheBits = bits.read(4);
      if (cacheBits < 1 || cacheBits > MAX_CACHE_BITS) {
        throw new WebpException("its color cache has a wrong size");
      }
    }
    int cacheSize = cacheBits == 0 ? 0 : 1 << cacheBits;
    PrefixGroups groups;
    if (isMain && bits.read(1) == 1) {
      int blockBits = 2 + bits.read(3);
      int columns = blocks(width, blockBits);
      int[] blocks = readImage(columns, blocks(height, blockBits), false);
      groups = PrefixGroups.of(bits, cacheSize, blocks, blockBits, columns);
    } else {
      groups = PrefixGroups.one(bits, cacheSize);
    }
    int[] pixels = (int[]) TensorLimit.allocate(DataType.INT32, Shape.of(height, width));
    readPixels(pixels, width, groups, new int[cacheSize], Integer.SIZE - cacheBits);
    if (bits.isPastEnd()) {
      throw new WebpException("its pixels are cut off");
    }
    return pixels;
  }

  private void readPixels(int[] pixels, int width, PrefixGroups groups, int[] cache, int cacheShift)
      throws WebpException {
    int row = 0;
    int column = 0;
    int at = 0;
    PrefixCode[] codes = groups.at(0, 0);
    while (at < pixels.length) {
      if (groups.isFirst(column)) {
        codes = groups.at(column, row);
      }
      int from = at;
      int code = bits.symbol(codes[PrefixGroups.GREEN]);
      if (code < PrefixGroups.LITERALS) {
        int red = bits.symbol(codes[PrefixGroups.RED]);
        int blue = bits.symbol(codes[PrefixGroups.BLUE]);
        int alpha = bits.symbol(codes[PrefixGroups.ALPHA]);
        pixels[at++] = alpha << 24 | red << 16 | code << 8 | blue;
      } else if (code < PrefixGroups.LITERALS + PrefixGroups.LENGTHS) {
        int length = readCount(code - PrefixGroups.LITERALS);
        int distance =
            BackwardDistance.of(readCount(bits.symbol(codes[PrefixGroups.DISTANCE])), width);
        if (distance > at || length > pixels.length - at) {
          throw new WebpException("a copy passes its pixels");
        }
        for (int end = at + length; at < end; at++) {
          pixels[at] = pixels[at - distance];
        }
      } else {
        pixels[at++] = cache[code - PrefixGroups.LITERALS - PrefixGroups.LENGTHS];
      }
      if (cache.length > 0) {
        for (int i = from; i < at; i++) {
          cache[(CACHE_HASH * pixels[i]) >>> cacheShift] = pixels[i];
        }
      }
      column += at - from;
      if (column >= width) {
        row += column / width;
        column %= width;
        stop.check();
        if (bits.isPastEnd()) {
          throw new WebpException("its pixels are cut off");
        }
      }
      if (at - from > 1 && at < pixels.length) {
        codes = groups.at(column, row);
      }
    }
  }

  /** Reads the rest of a length or distance, of which {@code symbol} is the beginning. */
  private int readCount(int symbol) {
    if (symbol < 4) {
      return symbol + 1;
    }
    int rest = (symbol - 2) >> 1;
    return ((2 + (symbol & 1)) << rest) + bits.read(rest) + 1;
  }
}

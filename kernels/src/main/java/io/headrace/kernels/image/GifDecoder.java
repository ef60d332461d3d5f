package io.headrace.kernels.image;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;

/**
 * Decodes GIF files (GIF89a) as TensorFlow does: the canvas has the size of the largest frame, and
 * each frame is painted over its predecessor; disposal methods are ignored.
 */
final class GifDecoder {
  private static final int HEADER_BYTES = 13;
  private static final int EXTENSION = 0x21;
  private static final int GRAPHIC_CONTROL = 0xF9;
  private static final int IMAGE = 0x2C;
  private static final int TRAILER = 0x3B;
  private static final int HAS_COLORS = 0x80;
  private static final int INTERLACED = 0x40;
  private static final int MAX_CODES = 4096;

  /** Pixels that a byte of image data makes at most: a code of 12 bits makes up to 4096. */
  private static final int MAX_EXPANSION = MAX_CODES * Byte.SIZE / 12 + 1;

  private static final String CUT_OFF = "its image data is cut off";
  private static final int[] PASS_FROM = {0, 4, 2, 1};
  private static final int[] PASS_STEP = {8, 8, 4, 2};

  private final byte[] file;
  private int width;
  private int height;
  private int at = HEADER_BYTES;
  private int globalColors = -1;
  private int globalCount;
  private int transparent = -1;

  private GifDecoder(byte[] file) {
    this.file = file;
    if (file.length < HEADER_BYTES) {
      throw invalid("its header is cut off");
    }
    if ((file[10] & HAS_COLORS) != 0) {
      globalColors = at;
      globalCount = 2 << (file[10] & 7);
      skip(3 * globalCount);
    }
  }

  /**
   * Decodes the frames of {@code file}, or only the first unless {@code animated}. A file that is
   * damaged or cut off has the frames before that; INVALID_ARGUMENT if there are none.
   */
  static Pixels decode(byte[] file, boolean animated) {
    return decode(file, animated ? Integer.MAX_VALUE : 1);
  }

  private static Pixels decode(byte[] file, int most) {
    GifDecoder sizes = new GifDecoder(file);
    int frames = sizes.frames(new byte[0], most);
    if (frames == 0) {
      throw sizes.invalid("gif file does not contain any image");
    }
    GifDecoder decoder = new GifDecoder(file);
    decoder.width = sizes.width;
    decoder.height = sizes.height;
    Shape shape = Shape.of(frames, decoder.height, decoder.width, 3);
    byte[] samples = (byte[]) TensorLimit.allocate(DataType.UINT8, shape);
    int painted = decoder.frames(samples, frames);
    if (painted < frames) {
      return decode(file, painted); // whose canvas may be smaller
    }
    return new Pixels(frames, decoder.height, decoder.width, 3, samples);
  }

  /**
   * Reads up to {@code most} frames, and returns their number. With empty {@code samples}, it only
   * measures the canvas; otherwise it paints them.
   */
  private int frames(byte[] samples, int most) {
    for (int count = 0; count < most; count++) {
      int start;
      byte[] indices = {};
      try {
        start = nextImage();
        if (start < 0) {
          return count;
        }
        int columns = unsigned16(start + 4);
        int rows = unsigned16(start + 6);
        if (samples.length > 0) {
          indices = indices(columns, rows);
        } else if (columns > 0 && rows > 0) {
          checkDataSuffices(columns, rows);
        }
      } catch (StatusException e) {
        if (count == 0 || e.code() != StatusCode.INVALID_ARGUMENT) {
          throw e;
        }
        return count;
      }
      image(samples, count, start, indices);
    }
    return most;
  }

  /** The offset of the next image's description, behind which the data begin; -1 at the end. */
  private int nextImage() {
    while (true) {
      int block = next();
      switch (block) {
        case TRAILER -> {
          return -1;
        }
        case EXTENSION -> extension();
        case IMAGE -> {
          int start = at;
          skip(9);
          if ((file[start + 8] & HAS_COLORS) != 0) {
            skip(3 * (2 << (file[start + 8] & 7)));
          }
          int minimum = file[checked(at)];
          if (minimum < 1 || minimum > 8) {
            throw invalid("a code of %d bits is out of range".formatted(minimum));
          }
          return start;
        }
        default -> throw invalid("it has an unknown block %d".formatted(block));
      }
    }
  }

  private void extension() {
    int label = next();
    int size = file[checked(at)] & 0xff;
    if (label == GRAPHIC_CONTROL && size == 4 && at + 5 <= file.length) {
      transparent = (file[at + 1] & 1) != 0 ? file[at + 4] & 0xff : -1;
    }
    skipBlocks();
  }

  private void skipBlocks() {
    for (int size = next(); size > 0; size = next()) {
      skip(size);
    }
  }

  private void image(byte[] samples, int frame, int start, byte[] indices) {
    int columns = unsigned16(start + 4);
    int rows = unsigned16(start + 6);
    if (columns == 0 || rows == 0) {
      throw invalid("it has no pixels");
    }
    if (samples.length == 0) {
      width = Math.max(width, columns);
      height = Math.max(height, rows);
      return;
    }
    int flags = file[start + 8];
    int colors = (flags & HAS_COLORS) != 0 ? start + 9 : globalColors;
    int count = (flags & HAS_COLORS) != 0 ? 2 << (flags & 7) : globalCount;
    if (colors < 0) {
      throw invalid("missing color map for frame %d".formatted(frame));
    }
    int frameBytes = width * height * 3;
    if (frame > 0) {
      System.arraycopy(samples, (frame - 1) * frameBytes, samples, frame * frameBytes, frameBytes);
    }
    paint(samples, frame * frameBytes, start, indices, colors, count);
    transparent = -1;
  }

  /** Skips the data of an image; refuses it if it has too little to fill its pixels. */
  private void checkDataSuffices(int columns, int rows) {
    skip(1);
    int from = at;
    skipBlocks();
    if ((long) columns * rows > (long) MAX_EXPANSION * (at - from)) {
      throw invalid(CUT_OFF);
    }
  }

  private void paint(byte[] samples, int base, int start, byte[] indices, int colors, int count) {
    int left = unsigned16(start);
    int top = unsigned16(start + 2);
    int columns = unsigned16(start + 4);
    int rows = unsigned16(start + 6);
    int[] order = rowOrder(rows, (file[start + 8] & INTERLACED) != 0);
    for (int i = 0; i < rows; i++) {
      int y = top + order[i];
      for (int x = 0; x < columns && y < height; x++) {
        int index = indices[i * columns + x] & 0xff;
        if (index == transparent || left + x >= width) {
          continue;
        }
        if (index >= count) {
          throw invalid(
              "found color index %d outside of color map range %d".formatted(index, count));
        }
        System.arraycopy(file, colors + 3 * index, samples, base + (y * width + left + x) * 3, 3);
      }
    }
  }

  private static int[] rowOrder(int rows, boolean interlaced) {
    int[] order = new int[rows];
    int next = 0;
    for (int pass = 0; pass < PASS_FROM.length && interlaced; pass++) {
      for (int row = PASS_FROM[pass]; row < rows; row += PASS_STEP[pass]) {
        order[next++] = row;
      }
    }
    for (int row = 0; row < rows && !interlaced; row++) {
      order[row] = row;
    }
    return order;
  }

  /** Decompresses the color indices of an image (LZW with codes of growing size). */
  private byte[] indices(int columns, int rows) {
    byte[] out = (byte[]) TensorLimit.allocate(DataType.UINT8, Shape.of(rows, columns));
    int minimum = next();
    int clear = 1 << minimum;
    int end = clear + 1;
    int[] prefix = new int[MAX_CODES];
    byte[] suffix = new byte[MAX_CODES];
    int[] lengths = new int[MAX_CODES];
    for (int code = 0; code < clear; code++) {
      suffix[code] = (byte) code;
      lengths[code] = 1;
    }
    int free = end + 1;
    int bits = minimum + 1;
    int previous = -1;
    int filled = 0;
    CodeReader codes = new CodeReader();
    while (filled < out.length) {
      int code = codes.read(bits);
      if (code == end) {
        break;
      }
      if (code == clear) {
        free = end + 1;
        bits = minimum + 1;
        previous = -1;
        continue;
      }
      if (code > free || (code == free && previous < 0) || (code >= clear && code < end + 1)) {
        throw invalid("its image data is corrupt");
      }
      if (previous >= 0 && free < MAX_CODES) {
        prefix[free] = previous;
        suffix[free] = first(code == free ? previous : code, prefix, suffix, lengths);
        lengths[free] = lengths[previous] + 1;
        free++;
        if (free == 1 << bits && bits < 12) {
          bits++;
        }
      }
      filled = emit(code, prefix, suffix, lengths, out, filled);
      previous = code;
    }
    if (filled < out.length) {
      throw invalid(CUT_OFF);
    }
    codes.finish();
    return out;
  }

  /** The first byte of a code's string. */
  private static byte first(int code, int[] prefix, byte[] suffix, int[] lengths) {
    int c = code;
    while (lengths[c] > 1) {
      c = prefix[c];
    }
    return suffix[c];
  }

  /** Writes a code's string to {@code out} at {@code from}; returns the index after it. */
  private static int emit(
      int code, int[] prefix, byte[] suffix, int[] lengths, byte[] out, int from) {
    int length = lengths[code];
    int c = code;
    for (int i = from + length - 1; i >= from; i--) {
      if (i < out.length) {
        out[i] = suffix[c];
      }
      c = prefix[c];
    }
    return from + length;
  }

  /** Reads codes of a given number of bits, least significant first, across data sub-blocks. */
  private final class CodeReader {
    private int held;
    private int heldBits;
    private int left;
    private boolean ended;

    int read(int bits) {
      while (heldBits < bits) {
        if (left == 0) {
          left = ended ? 0 : next();
          ended = left == 0;
          if (ended) {
            throw invalid(CUT_OFF);
          }
        }
        held |= next() << heldBits;
        heldBits += 8;
        left--;
      }
      int code = held & (1 << bits) - 1;
      held >>>= bits;
      heldBits -= bits;
      return code;
    }

    void finish() {
      skip(left);
      if (!ended) {
        skipBlocks();
      }
    }
  }

  private int next() {
    return file[checked(at++)] & 0xff;
  }

  private void skip(int bytes) {
    if (bytes > file.length - at) {
      throw invalid("it is cut off");
    }
    at += bytes;
  }

  private int checked(int index) {
    if (index >= file.length) {
      throw invalid("it is cut off");
    }
    return index;
  }

  private int unsigned16(int index) {
    return (file[index] & 0xff) | (file[index + 1] & 0xff) << 8;
  }

  private StatusException invalid(String why) {
    return StatusException.invalidArgument("Invalid GIF data (size %d), %s", file.length, why);
  }
}

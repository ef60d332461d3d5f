package io.headrace.kernels.image;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Encodes images as PNG files (ISO/IEC 15948) with 8 or 16 bits per sample, not interlaced. Each
 * row gets the filter with the minimum sum of absolute differences, libpng's heuristic. Not
 * thread-safe.
 */
public final class PngEncoder {
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  private static final int[] COLOR_TYPES = {
    PngFile.GRAY, PngFile.GRAY_ALPHA, PngFile.RGB, PngFile.RGBA
  };
  private static final int FILTERS = 5;
  private static final int SUB = 1;
  private static final int UP = 2;
  private static final int AVERAGE = 3;
  private static final int PAETH = 4;

  /** Bytes of compressed data in an IDAT chunk. */
  private static final int CHUNK_BYTES = 8192;

  private final int height;
  private final int width;
  private final int channels;
  private final int sampleBytes;
  private final int lineBytes;
  private final ByteArrayOutputStream file = new ByteArrayOutputStream();

  /**
   * An encoder of images of one size.
   *
   * @param height in pixels
   * @param width in pixels
   * @param channels 1 to 4: gray, gray and alpha, RGB, RGBA
   * @param sampleBytes 1 or 2
   */
  public PngEncoder(int height, int width, int channels, int sampleBytes) {
    this.height = height;
    this.width = width;
    this.channels = channels;
    this.sampleBytes = sampleBytes;
    this.lineBytes = width * channels * sampleBytes;
  }

  /**
   * Encodes one image.
   *
   * @param samples a {@code byte[]} or {@code short[]} of unsigned samples
   * @param from the index of the image's first sample
   * @param level zlib's compression level, 0 to 9, or -1 for its default
   * @return the file
   */
  public byte[] encode(Object samples, int from, int level) {
    file.reset();
    file.writeBytes(SIGNATURE);
    ByteBuffer header = ByteBuffer.allocate(13).putInt(width).putInt(height);
    header.put((byte) (8 * sampleBytes)).put((byte) COLOR_TYPES[channels - 1]);
    chunk("IHDR", header.array(), header.capacity());
    Deflater deflater = new Deflater(level);
    try {
      deflater.setStrategy(Deflater.FILTERED);
      byte[] buffer = new byte[CHUNK_BYTES];
      int used = 0;
      byte[] line = new byte[lineBytes];
      byte[] above = new byte[lineBytes];
      byte[][] filtered = new byte[FILTERS][lineBytes + 1];
      for (int y = 0; y < height; y++) {
        read(samples, from + y * width * channels, line);
        deflater.setInput(filter(line, above, filtered));
        used = drain(deflater, false, buffer, used);
        byte[] next = above;
        above = line;
        line = next;
      }
      deflater.finish();
      used = drain(deflater, true, buffer, used);
      if (used > 0) {
        chunk("IDAT", buffer, used);
      }
    } finally {
      deflater.end();
    }
    chunk("IEND", new byte[0], 0);
    return file.toByteArray();
  }

  /** Writes a chunk whenever {@code buffer} is full; returns the number of bytes left in it. */
  private int drain(Deflater deflater, boolean last, byte[] buffer, int used) {
    int at = used;
    // deflate() may return 0 and consume nothing: a call that only applies a new strategy does.
    while (last ? !deflater.finished() : !deflater.needsInput()) {
      at += deflater.deflate(buffer, at, buffer.length - at);
      if (at == buffer.length) {
        chunk("IDAT", buffer, at);
        at = 0;
      }
    }
    return at;
  }

  private void chunk(String type, byte[] data, int count) {
    byte[] typeBytes = type.getBytes(US_ASCII);
    CRC32 crc = new CRC32();
    crc.update(typeBytes);
    crc.update(data, 0, count);
    file.writeBytes(ByteBuffer.allocate(4).putInt(count).array());
    file.writeBytes(typeBytes);
    file.write(data, 0, count);
    file.writeBytes(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
  }

  /** Copies a row's samples into {@code line}, big-endian. */
  private void read(Object samples, int from, byte[] line) {
    if (samples instanceof short[] shorts) {
      for (int i = 0; i < lineBytes / 2; i++) {
        line[2 * i] = (byte) (shorts[from + i] >> 8);
        line[2 * i + 1] = (byte) shorts[from + i];
      }
    } else {
      System.arraycopy((byte[]) samples, from, line, 0, lineBytes);
    }
  }

  /** The filtered row with the least cost, after its filter type. */
  private byte[] filter(byte[] line, byte[] above, byte[][] filtered) {
    int pixel = channels * sampleBytes;
    byte[] best = filtered[0];
    long least = Long.MAX_VALUE;
    for (int type = 0; type < FILTERS; type++) {
      boolean useless = (type >= UP && height == 1) || (type != 0 && type != UP && width == 1);
      if (useless) {
        continue;
      }
      byte[] out = filtered[type];
      out[0] = (byte) type;
      long sum = 0;
      for (int i = 0; i < lineBytes; i++) {
        int left = i < pixel ? 0 : line[i - pixel] & 0xff;
        int corner = i < pixel ? 0 : above[i - pixel] & 0xff;
        int value = line[i] - predicted(type, left, above[i] & 0xff, corner);
        out[i + 1] = (byte) value;
        sum += Math.abs((byte) value);
      }
      if (sum < least) {
        least = sum;
        best = out;
      }
    }
    return best;
  }

  private static int predicted(int type, int left, int above, int corner) {
    return switch (type) {
      case SUB -> left;
      case UP -> above;
      case AVERAGE -> (left + above) / 2;
      case PAETH -> paeth(left, above, corner);
      default -> 0;
    };
  }

  private static int paeth(int left, int above, int corner) {
    int toLeft = Math.abs(above - corner);
    int toAbove = Math.abs(left - corner);
    int toCorner = Math.abs(left + above - 2 * corner);
    if (toLeft <= toAbove && toLeft <= toCorner) {
      return left;
    }
    return toAbove <= toCorner ? above : corner;
  }
}

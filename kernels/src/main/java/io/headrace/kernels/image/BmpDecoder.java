package io.headrace.kernels.image;

import io.headrace.runtime.status.StatusException;

/** Decodes uncompressed Windows bitmaps (BMP), with TensorFlow's checks. */
final class BmpDecoder {
  private static final int HEADER_BYTES = 32;
  private static final int OPAQUE = 255;

  private final byte[] file;

  private BmpDecoder(byte[] file) {
    this.file = file;
  }

  /** Decodes {@code file} to {@code wanted} channels; 0 keeps the channels of the file. */
  static Pixels decode(byte[] file, int wanted) {
    return new BmpDecoder(file).decode(wanted);
  }

  private Pixels decode(int wanted) {
    if (wanted == 1) {
      throw StatusException.invalidArgument("`channels` must be 0, 3 or 4 for BMP, but got 1");
    }
    if (file.length < HEADER_BYTES) {
      throw StatusException.invalidArgument(
          "Incomplete bmp content, requires at least 32 bytes to find the header size, width,"
              + " height, and bpp, got %d bytes",
          file.length);
    }
    int dataOffset = int32(10);
    int width = int32(18);
    int signedHeight = int32(22);
    int fileChannels = (short) ((file[28] & 0xff) | file[29] << 8) / 8;
    check(dataOffset, width, signedHeight, fileChannels);
    int height = Math.abs(signedHeight);
    int rowBytes = (fileChannels * width + 3) / 4 * 4;
    checkSize(dataOffset, (long) rowBytes * height);
    int channels = wanted == 0 ? fileChannels : wanted;
    byte[] samples = Pixels.allocate(height, width, channels);
    for (int y = 0; y < height; y++) {
      int row = dataOffset + (signedHeight < 0 ? y : height - 1 - y) * rowBytes;
      for (int x = 0; x < width; x++) {
        pixel(row + x * fileChannels, fileChannels, samples, (y * width + x) * channels, channels);
      }
    }
    return Pixels.of(height, width, channels, samples);
  }

  private static void check(int dataOffset, int width, int height, int channels) {
    if (channels != 1 && channels != 3 && channels != 4) {
      throw StatusException.invalidArgument(
          "Number of channels inherent in the image must be 1, 3 or 4, was %d", channels);
    }
    if (width <= 0) {
      throw StatusException.invalidArgument("Width must be positive");
    }
    if (height == 0) {
      throw StatusException.invalidArgument("Height must be nonzero");
    }
    if (dataOffset < 0) {
      throw StatusException.invalidArgument("header size must be nonnegative");
    }
    if ((long) width * Math.abs((long) height) >= Integer.MAX_VALUE / 8) {
      throw StatusException.invalidArgument("Total possible pixel bytes must be less than 2^30");
    }
  }

  private void checkSize(int dataOffset, long pixelBytes) {
    long difference = file.length - dataOffset - pixelBytes;
    if (difference != 0) {
      throw StatusException.invalidArgument(
          "Input size should match (header_size + row_size * abs_height) but they differ by %d",
          difference);
    }
  }

  private void pixel(int from, int fileChannels, byte[] samples, int at, int channels) {
    if (fileChannels == 1) {
      // A gray pixel: its one sample is copied to every color channel.
      for (int c = 0; c < channels; c++) {
        samples[at + c] = c == 3 ? (byte) OPAQUE : file[from];
      }
      return;
    }
    samples[at] = file[from + 2];
    samples[at + 1] = file[from + 1];
    samples[at + 2] = file[from];
    if (channels == 4) {
      samples[at + 3] = fileChannels == 4 ? file[from + 3] : (byte) OPAQUE;
    }
  }

  private int int32(int at) {
    return (file[at] & 0xff)
        | (file[at + 1] & 0xff) << 8
        | (file[at + 2] & 0xff) << 16
        | file[at + 3] << 24;
  }
}

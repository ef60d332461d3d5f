package io.headrace.kernels.image;

import io.headrace.runtime.status.StatusException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * A parsed PNG file (ISO/IEC 15948): header, palette, transparency and the still compressed pixels.
 *
 * <p>Damage is INVALID_ARGUMENT, with TensorFlow's messages: one for damage before the pixel data,
 * another for damage in it.
 */
final class PngFile {
  static final int GRAY = 0;
  static final int RGB = 2;
  static final int PALETTE = 3;
  static final int GRAY_ALPHA = 4;
  static final int RGBA = 6;

  private static final int SIGNATURE_BYTES = 8;
  private static final int CHUNK_OVERHEAD = 12;
  private static final int IHDR = 0x49484452;
  private static final int PLTE = 0x504c5445;
  private static final int TRNS = 0x74524e53;
  private static final int IDAT = 0x49444154;
  private static final int IEND = 0x49454e44;
  private static final int ANCILLARY_BIT = 0x20000000;
  private static final int MAX_COLORS = 256;

  /** libpng refuses larger images. */
  private static final int MAX_SIZE = 1_000_000;

  private static final long MAX_PIXELS = 1L << 29;

  final int width;
  final int height;
  final int bitDepth;
  final int colorType;
  final boolean interlaced;
  final byte[] palette;
  final byte[] transparency;
  final byte[] compressed;

  private final byte[] file;

  private PngFile(byte[] file) {
    this.file = file;
    int header = SIGNATURE_BYTES;
    checkChunk(header, invalidHeader());
    if (int32(header + 4) != IHDR || int32(header) != 13) {
      throw invalidHeader();
    }
    width = int32(header + 8);
    height = int32(header + 12);
    bitDepth = file[header + 16];
    colorType = file[header + 17];
    interlaced = file[header + 20] == 1;
    checkHeader(file[header + 18], file[header + 19], file[header + 20]);
    byte[] colors = {};
    byte[] alphas = {};
    boolean hasPalette = false;
    int at = header + CHUNK_OVERHEAD + 13;
    while (typeAt(at, invalidHeader()) != IDAT) {
      int type = int32(at + 4);
      boolean isIntact = checkChunk(at, invalidHeader());
      if (type == PLTE) {
        if (hasPalette) {
          throw invalidHeader();
        }
        hasPalette = true;
        colors = data(at);
      } else if (type == TRNS && isIntact && alphas.length == 0) {
        alphas = isTransparency(int32(at), hasPalette, colors) ? data(at) : alphas;
      } else if (isOutOfPlace(type)) {
        throw invalidHeader();
      }
      at += CHUNK_OVERHEAD + int32(at);
    }
    if (colorType == PALETTE
        && (colors.length == 0 || colors.length % 3 != 0 || colors.length > 3 * MAX_COLORS)) {
      throw invalidHeader();
    }
    palette = colors;
    transparency = alphas;
    compressed = pixels(at, hasPalette);
  }

  /** Parses {@code file}, which must begin with the PNG signature. */
  static PngFile parse(byte[] file) {
    return new PngFile(file);
  }

  /** Samples per pixel in the file; 1 with a palette. */
  int samples() {
    return switch (colorType) {
      case RGB -> 3;
      case GRAY_ALPHA -> 2;
      case RGBA -> 4;
      default -> 1;
    };
  }

  /** Channels of the image by default; 3 with a palette, or 4 if it has transparency. */
  int channels() {
    if (colorType != PALETTE) {
      return samples();
    }
    return transparency.length > 0 ? 4 : 3;
  }

  StatusException invalidData() {
    return StatusException.invalidArgument("Invalid PNG data, size %d", file.length);
  }

  private static StatusException invalidHeader() {
    return StatusException.invalidArgument("Invalid PNG. Failed to initialize decoder.");
  }

  private void checkHeader(byte compression, byte filter, byte interlace) {
    boolean depthFits =
        switch (colorType) {
          case GRAY -> Integer.bitCount(bitDepth) == 1 && bitDepth <= 16;
          case PALETTE -> Integer.bitCount(bitDepth) == 1 && bitDepth <= 8;
          case RGB, GRAY_ALPHA, RGBA -> bitDepth == 8 || bitDepth == 16;
          default -> false;
        };
    boolean known = compression == 0 && filter == 0 && (interlace == 0 || interlace == 1);
    boolean sizeFits = width > 0 && height > 0 && width <= MAX_SIZE && height <= MAX_SIZE;
    if (!sizeFits || bitDepth <= 0 || !depthFits || !known) {
      throw invalidHeader();
    }
    if ((long) width * height >= MAX_PIXELS) {
      throw StatusException.invalidArgument("PNG size too large for int: %d by %d", width, height);
    }
  }

  private byte[] pixels(int first, boolean hasPalette) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(Math.max(16, file.length - first));
    int at = first;
    while (typeAt(at, invalidData()) == IDAT) {
      checkChunk(at, invalidData());
      out.write(file, at + 8, int32(at));
      at += CHUNK_OVERHEAD + int32(at);
    }
    while (typeAt(at, invalidData()) != IEND) {
      checkChunk(at, invalidData());
      if (isOutOfPlace(int32(at + 4)) || (int32(at + 4) == PLTE && hasPalette)) {
        throw invalidData();
      }
      at += CHUNK_OVERHEAD + int32(at);
    }
    checkChunk(at, invalidData());
    return out.toByteArray();
  }

  /** Whether a critical chunk is unknown, or may not be where it is. */
  private static boolean isOutOfPlace(int type) {
    return (type & ANCILLARY_BIT) == 0 && type != PLTE && type != IDAT;
  }

  /** Whether libpng takes a tRNS chunk of {@code size} bytes; it ignores others. */
  private boolean isTransparency(int size, boolean hasPalette, byte[] colors) {
    return switch (colorType) {
      case GRAY -> size == Short.BYTES;
      case RGB -> size == 3 * Short.BYTES;
      case PALETTE -> hasPalette && size > 0 && size <= Math.min(colors.length / 3, 1 << bitDepth);
      default -> false;
    };
  }

  private int typeAt(int at, StatusException failure) {
    if (at < 0 || at > file.length - CHUNK_OVERHEAD) {
      throw failure;
    }
    for (int i = at + 4; i < at + 8; i++) {
      int letter = file[i] & ~0x20;
      if (letter < 'A' || letter > 'Z') {
        throw failure;
      }
    }
    return int32(at + 4);
  }

  /**
   * Whether the checksum of the chunk at {@code at} is right; throws {@code failure} if the chunk
   * is truncated, or critical with a wrong checksum.
   */
  private boolean checkChunk(int at, StatusException failure) {
    int type = typeAt(at, failure);
    int size = int32(at);
    if (size < 0 || size > file.length - at - CHUNK_OVERHEAD) {
      throw failure;
    }
    CRC32 crc = new CRC32();
    crc.update(file, at + 4, size + 4);
    boolean isIntact = (int) crc.getValue() == int32(at + 8 + size);
    if (!isIntact && (type & ANCILLARY_BIT) == 0) {
      throw failure;
    }
    return isIntact;
  }

  private byte[] data(int at) {
    return Arrays.copyOfRange(file, at + 8, at + 8 + int32(at));
  }

  private int int32(int at) {
    return (file[at] & 0xff) << 24
        | (file[at + 1] & 0xff) << 16
        | (file[at + 2] & 0xff) << 8
        | (file[at + 3] & 0xff);
  }
}

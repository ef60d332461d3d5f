package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompression of strings, as lenient as TensorFlow's: truncated input of zlib and gzip yields the
 * bytes that could be decompressed, and bytes after the end of a zlib stream are ignored.
 */
enum LenientDecompression {
  /** Uncompressed. */
  NONE,
  /** One zlib stream (RFC 1950). */
  ZLIB,
  /** Any number of gzip members (RFC 1952). */
  GZIP,
  /** One Zstandard frame that tells its size (RFC 8878). */
  ZSTD;

  private static final int FIXED_HEADER_BYTES = 10;
  private static final int TRAILER_BYTES = 8;
  private static final int BUFFER_BYTES = 1 << 13;

  /** The compression called {@code name}; INVALID_ARGUMENT for an unknown name. */
  static LenientDecompression ofName(String name) {
    return switch (name) {
      case "" -> NONE;
      case "ZLIB" -> ZLIB;
      case "GZIP" -> GZIP;
      case "ZSTD" -> ZSTD;
      default ->
          throw invalidArgument(
              "Only ZLIB, ZSTD, GZIP or NONE are supported compressions, not %s", name);
    };
  }

  /**
   * Decompresses {@code compressed}; DATA_LOSS if it is corrupt (ZSTD: INVALID_ARGUMENT),
   * RESOURCE_EXHAUSTED if the result exceeds the bound for one tensor, UNIMPLEMENTED if the library
   * for ZSTD is absent.
   */
  byte[] inflate(byte[] compressed) {
    if (this == NONE) {
      return compressed;
    }
    if (this == ZSTD) {
      return zstd(compressed);
    }
    try (Inflater inflater = new Inflater(this == GZIP)) {
      Inflation inflation = new Inflation(compressed, inflater);
      if (this == ZLIB) {
        inflation.inflate(0);
      } else {
        inflation.members();
      }
      return inflation.out.toByteArray();
    }
  }

  private static byte[] zstd(byte[] compressed) {
    try {
      return ZstdFrame.decompress(compressed, LenientDecompression::checkSize);
    } catch (LinkageError e) {
      throw new StatusException(
          StatusCode.UNIMPLEMENTED,
          "ZSTD needs a library that is not on the class path, or does not work here (%s); add headrace-natives, or com.github.luben:zstd-jni"
              .formatted(e),
          e);
    }
  }

  /** One decompression: its state is shared by all members, which may be many and tiny. */
  private static final class Inflation {
    private final byte[] compressed;
    private final Inflater inflater;
    private final CRC32 crc = new CRC32();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Inflation(byte[] compressed, Inflater inflater) {
      this.compressed = compressed;
      this.inflater = inflater;
    }

    void members() {
      int at = 0;
      do {
        at = member(at);
      } while (at < compressed.length);
    }

    /** Decompresses the gzip member at {@code from}; returns the offset of its end. */
    private int member(int from) {
      int start = header(compressed, from);
      if (start > compressed.length) {
        return compressed.length; // truncated
      }
      int before = out.size();
      crc.reset();
      inflater.reset();
      int end = inflate(start);
      if (end < 0 || end + TRAILER_BYTES > compressed.length) {
        return compressed.length;
      }
      if (integer(compressed, end) != (int) crc.getValue()) {
        throw corrupt("incorrect data check");
      }
      if (integer(compressed, end + Integer.BYTES) != out.size() - before) {
        throw corrupt("incorrect length check");
      }
      return end + TRAILER_BYTES;
    }

    /** Inflates from {@code from}; returns the offset of the stream's end, or -1 if truncated. */
    int inflate(int from) {
      try {
        inflater.setInput(compressed, from, compressed.length - from);
        while (!inflater.finished()) {
          int count = inflater.inflate(buffer);
          if (count == 0 && !inflater.finished()) {
            if (inflater.needsDictionary()) {
              throw corrupt("need dictionary");
            }
            return -1;
          }
          checkSize(out.size() + (long) count);
          crc.update(buffer, 0, count);
          out.write(buffer, 0, count);
        }
        return compressed.length - inflater.getRemaining();
      } catch (DataFormatException e) {
        throw new StatusException(
            StatusCode.DATA_LOSS, corrupt(String.valueOf(e.getMessage())).message(), e);
      }
    }
  }

  private static int integer(byte[] bytes, int at) {
    int value = 0;
    for (int i = 3; i >= 0; i--) {
      value = value << 8 | (bytes[at + i] & 0xff);
    }
    return value;
  }

  /** The offset of the deflate data of the member at {@code from}; past the end if truncated. */
  private static int header(byte[] bytes, int from) {
    byte[] magic = {0x1f, (byte) 0x8b};
    for (int i = 0; i < magic.length && from + magic.length <= bytes.length; i++) {
      if (bytes[from + i] != magic[i]) {
        throw corrupt("incorrect header check");
      }
    }
    if (from + 4 > bytes.length) {
      return bytes.length + 1;
    }
    if (bytes[from + 2] != 8) {
      throw corrupt("unknown compression method");
    }
    int flags = bytes[from + 3] & 0xff;
    if ((flags & 0xe0) != 0) {
      throw corrupt("unknown header flags set");
    }
    if (from + FIXED_HEADER_BYTES > bytes.length) {
      return bytes.length + 1;
    }
    int at = from + FIXED_HEADER_BYTES;
    if ((flags & 4) != 0 && at + 2 <= bytes.length) {
      at += 2 + (bytes[at] & 0xff) + (bytes[at + 1] & 0xff) * 256;
    }
    at = (flags & 8) != 0 ? afterZero(bytes, at) : at;
    at = (flags & 16) != 0 ? afterZero(bytes, at) : at;
    if ((flags & 2) == 0) {
      return at;
    }
    if (at + 2 <= bytes.length) {
      CRC32 crc = new CRC32();
      crc.update(bytes, from, at - from);
      if ((crc.getValue() & 0xffff) != ((bytes[at] & 0xff) | (bytes[at + 1] & 0xff) << Byte.SIZE)) {
        throw corrupt("header crc mismatch");
      }
    }
    return at + 2;
  }

  private static int afterZero(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && bytes[at] != 0) {
      at++;
    }
    return at + 1;
  }

  private static void checkSize(long bytes) {
    if (bytes > Math.min(TensorLimit.maxBytes(), Integer.MAX_VALUE - 8)) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "a string uncompresses to more than %d bytes, the bound for one tensor",
          TensorLimit.maxBytes());
    }
  }

  private static StatusException corrupt(String what) {
    return StatusException.of(StatusCode.DATA_LOSS, "inflate() failed with error -3: %s", what);
  }
}

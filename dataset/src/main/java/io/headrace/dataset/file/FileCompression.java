package io.headrace.dataset.file;

import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/** The compression of a file. */
public enum FileCompression {
  /** Uncompressed. */
  NONE,
  /** The gzip format, with any number of members. */
  GZIP,
  /** The zlib format. */
  ZLIB;

  private static final int BUFFER_BYTES = 1 << 16;

  /** The compression with the op input value {@code name}: empty, {@code GZIP} or {@code ZLIB}. */
  public static FileCompression ofName(String name) {
    return switch (name) {
      case "" -> NONE;
      case "GZIP" -> GZIP;
      case "ZLIB" -> ZLIB;
      default ->
          throw StatusException.invalidArgument(
              "compression_type must be empty, GZIP or ZLIB, and is %s", name);
    };
  }

  InputStream uncompress(InputStream stream) throws IOException {
    return switch (this) {
      case NONE -> stream;
      case GZIP -> new GZIPInputStream(stream, BUFFER_BYTES);
      case ZLIB -> new InflaterInputStream(stream);
    };
  }
}

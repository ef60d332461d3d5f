package io.headrace.dataset.file;

import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;

/** The compression of a file. */
public enum FileCompression {
  /** Uncompressed. */
  NONE,
  /** The gzip format, with any number of members. */
  GZIP,
  /** The zlib format. */
  ZLIB,
  /** Snappy blocks with their lengths ({@link SnappyBlocks}). */
  SNAPPY;

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

  /**
   * The compression that the attr {@code compression} of a dataset that is saved or loaded names.
   * As in TensorFlow, AUTO is SNAPPY for a snapshot and no compression otherwise.
   */
  public static FileCompression ofAttr(String name, FileCompression auto) {
    return switch (name) {
      case "", "NONE" -> NONE;
      case "AUTO" -> auto;
      case "GZIP" -> GZIP;
      case "ZLIB" -> ZLIB;
      case "SNAPPY" -> SNAPPY;
      default ->
          throw StatusException.invalidArgument(
              "compression must be empty, NONE, AUTO, GZIP, ZLIB or SNAPPY, and is %s", name);
    };
  }

  InputStream uncompress(InputStream stream) throws IOException {
    return switch (this) {
      case NONE -> stream;
      case GZIP -> new GzipMembers(stream, BUFFER_BYTES);
      case ZLIB -> new InflaterInputStream(stream);
      case SNAPPY -> SnappyBlocks.reader(stream);
    };
  }

  /** A stream that writes what it is given, compressed, to {@code stream}. */
  OutputStream compress(OutputStream stream) throws IOException {
    return switch (this) {
      case NONE -> stream;
      case GZIP -> new GZIPOutputStream(stream, BUFFER_BYTES);
      case ZLIB -> new DeflaterOutputStream(stream);
      case SNAPPY -> SnappyBlocks.writer(stream);
    };
  }

  /**
   * The JDK's stream calls itself at the end of each member, so a run of empty members would
   * overflow the stack. Here the inner call returns, and a loop goes on with the next member.
   */
  private static final class GzipMembers extends GZIPInputStream {
    private boolean isReading;

    GzipMembers(InputStream stream, int bufferBytes) throws IOException {
      super(stream, bufferBytes);
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
      if (isReading || count == 0) {
        return 0;
      }
      isReading = true;
      try {
        int read = 0;
        while (read == 0) {
          read = super.read(bytes, from, count);
        }
        return read;
      } finally {
        isReading = false;
      }
    }
  }
}

package io.headrace.kernels.checkpoint;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.file.PositionalReader;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/** A file open for positional reads; small ones are buffered. Used by one thread. */
final class RandomAccessInput implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  /** Larger reads bypass the buffer. */
  private static final int SMALL_BYTES = 1 << 12;

  private byte[] buffer = {};
  private long bufferedFrom;
  private int buffered;

  private final String name;
  private final PositionalReader reader;
  private final long size;

  private RandomAccessInput(String name, PositionalReader reader, long size) {
    this.name = name;
    this.reader = reader;
    this.size = size;
  }

  /** Opens {@code name}; errors are those of {@link DataFiles}. */
  static RandomAccessInput open(String name) {
    PositionalReader reader = DataFiles.openPositional(name);
    try {
      return new RandomAccessInput(name, reader, reader.size());
    } catch (IOException e) {
      throw DataFiles.failure(name, e);
    }
  }

  String name() {
    return name;
  }

  long size() {
    return size;
  }

  /** Reads {@code count} bytes at offset {@code at} of the file into {@code to}. */
  void read(long at, byte[] to, int count) {
    if (count > SMALL_BYTES || count > size - at) {
      readFile(at, to, count);
      return;
    }
    if (at < bufferedFrom || at + count > bufferedFrom + buffered) {
      buffer = buffer.length == 0 ? new byte[BUFFER_BYTES] : buffer;
      buffered = 0;
      int ahead = (int) Math.min(BUFFER_BYTES, size - at);
      readFile(at, buffer, ahead);
      bufferedFrom = at;
      buffered = ahead;
    }
    System.arraycopy(buffer, (int) (at - bufferedFrom), to, 0, count);
  }

  private void readFile(long at, byte[] to, int count) {
    try {
      ByteBuffer buffer = ByteBuffer.wrap(to, 0, count);
      while (buffer.hasRemaining()) {
        if (reader.read(buffer, at + buffer.position()) < 0) {
          throw dataLoss("%d bytes should be at %d, and the file has %d", count, at, size);
        }
      }
    } catch (IOException e) {
      throw DataFiles.failure(name, e);
    }
  }

  /** A DATA_LOSS error that names the file. */
  @FormatMethod
  StatusException dataLoss(@FormatString String format, Object... arguments) {
    return new StatusException(
        StatusCode.DATA_LOSS, name + ": " + String.format(Locale.ROOT, format, arguments));
  }

  @Override
  public void close() {
    try {
      reader.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

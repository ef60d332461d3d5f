package io.headrace.dataset.file;

import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A file that is written from its beginning to its end, compressed where asked for. Failures have
 * the codes of {@link DataFiles}. Used by one thread.
 */
public final class FileOutput implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;

  private final String file;
  private final OutputStream out;
  private boolean isClosed;

  private FileOutput(String file, OutputStream out) {
    this.file = file;
    this.out = out;
  }

  /** Opens {@code file}, empty; its folder must exist. */
  public static FileOutput replace(String file, FileCompression compression) {
    OutputStream stored = new BufferedOutputStream(DataFiles.replace(file), BUFFER_BYTES);
    try {
      return new FileOutput(file, compression.compress(stored));
    } catch (IOException e) {
      throw DataFiles.failure(file, e);
    }
  }

  /** Writes {@code bytes}; FAILED_PRECONDITION if the file is closed. */
  public void write(byte[] bytes) {
    write(bytes, 0, bytes.length);
  }

  /** Writes {@code count} bytes, from {@code from} on; FAILED_PRECONDITION if it is closed. */
  public void write(byte[] bytes, int from, int count) {
    if (isClosed) {
      throw StatusException.of(StatusCode.FAILED_PRECONDITION, "%s is closed", file);
    }
    try {
      out.write(bytes, from, count);
    } catch (IOException e) {
      throw DataFiles.failure(file, e);
    }
  }

  /** Writes what is buffered, and closes the file; does nothing if it is closed. */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      out.close();
    } catch (IOException e) {
      throw DataFiles.failure(file, e);
    }
  }
}

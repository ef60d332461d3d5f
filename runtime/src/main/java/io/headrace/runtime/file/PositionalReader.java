package io.headrace.runtime.file;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file open for reads at any offset. Used by one thread. */
public interface PositionalReader extends AutoCloseable {
  /** The size of the file in bytes. */
  long size() throws IOException;

  /**
   * Reads at least one byte from {@code offset} on, if {@code into} has room; returns the count, or
   * -1 at the end of the file.
   */
  int read(ByteBuffer into, long offset) throws IOException;

  @Override
  void close() throws IOException;
}

package io.headrace.dataset.file;

import io.headrace.runtime.file.AtomicFile;
import java.io.OutputStream;

/** The bytes of an atomic file, as a stream; closing it does not close the file. */
final class AtomicFileStream extends OutputStream {
  private final AtomicFile file;
  private long written;

  AtomicFileStream(AtomicFile file) {
    this.file = file;
  }

  /** The bytes so far. */
  long written() {
    return written;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) {
    file.write(bytes, from, count);
    written += count;
  }
}

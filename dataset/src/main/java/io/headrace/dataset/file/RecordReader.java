package io.headrace.dataset.file;

/** The records of one open file, in order. Used by one thread at a time. */
public interface RecordReader extends AutoCloseable {
  /**
   * Reads up to {@code count} records into {@code records} from index {@code from} on. Returns
   * their number: at least one, fewer than requested if the rest is not buffered, 0 at the end.
   * DATA_LOSS, naming file and offset, at the first record that cannot be read.
   */
  int read(byte[][] records, int from, int count);

  /** Closes the file; a concurrent read ends with CANCELLED. Idempotent. */
  @Override
  void close();
}

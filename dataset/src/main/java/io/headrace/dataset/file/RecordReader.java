package io.headrace.dataset.file;

/** The records of one open file, in order. Used by one thread at a time. */
public interface RecordReader extends AutoCloseable {
  /**
   * Reads up to {@code count} records into {@code records} from index {@code from} on; returns how
   * many: at least one, and fewer than asked for where more would have to be read from the file; 0
   * at the end. DATA_LOSS naming file and offset, at the first record that cannot be read.
   */
  int read(byte[][] records, int from, int count);

  /** Closes the file; a read that another thread is in ends with CANCELLED. Idempotent. */
  @Override
  void close();
}

package io.headrace.runtime.file;

/**
 * A file that appears under its name atomically, whole and durable, by {@link #commit}; closing it
 * earlier leaves none. Errors are those of {@link DataFiles}. Used by one thread.
 */
public interface AtomicFile extends AutoCloseable {
  /** Begins the file {@code file}, whose directory must exist. */
  static AtomicFile create(String file) {
    return DataFiles.system(file).createAtomic(file);
  }

  /** Writes {@code count} bytes of {@code bytes}, from {@code from} on. */
  void write(byte[] bytes, int from, int count);

  /** Makes the file durable, and gives it its name, replacing an existing file. */
  void commit();

  /** Ends the writing; deletes what was written unless it was committed. */
  @Override
  void close();
}

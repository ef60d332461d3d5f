package io.headrace.dataset.file;

/** How a file is cut into records. Immutable. */
@FunctionalInterface
public interface RecordFormat {
  /**
   * Opens {@code file}. NOT_FOUND naming it if it is not there; UNIMPLEMENTED if its file system is
   * not supported.
   */
  RecordReader open(String file);
}

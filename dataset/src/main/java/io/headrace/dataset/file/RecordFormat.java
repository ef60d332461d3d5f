package io.headrace.dataset.file;

/** Opens the files of a record format. Immutable. */
@FunctionalInterface
public interface RecordFormat {
  /**
   * Opens {@code file}. NOT_FOUND, naming it, if it does not exist; UNIMPLEMENTED if its file
   * system is not supported.
   */
  RecordReader open(String file);
}

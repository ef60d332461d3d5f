package io.headrace.dataset;

/** The compression of a file. */
public enum Compression {
  /** Uncompressed. */
  NONE(""),
  /** The gzip format. */
  GZIP("GZIP"),
  /** The zlib format. */
  ZLIB("ZLIB");

  private final String tfName;

  Compression(String tfName) {
    this.tfName = tfName;
  }

  /** The value of the {@code compression_type} input of dataset ops. */
  String tfName() {
    return tfName;
  }
}

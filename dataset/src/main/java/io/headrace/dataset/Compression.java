package io.headrace.dataset;

/** The compression of a file. */
public enum Compression {
  /** Uncompressed. */
  NONE(""),
  /** The gzip format. */
  GZIP("GZIP"),
  /** The zlib format. */
  ZLIB("ZLIB"),
  /** TensorFlow's format of Snappy blocks; only for datasets that are saved and for snapshots. */
  SNAPPY("SNAPPY");

  private final String tfName;

  Compression(String tfName) {
    this.tfName = tfName;
  }

  /** Its name in the inputs and attrs of dataset ops. */
  String tfName() {
    return tfName;
  }
}

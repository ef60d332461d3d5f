package io.headrace.dataset;

/** How a file is compressed. */
public enum Compression {
  /** Not at all. */
  NONE(""),
  /** As gzip does. */
  GZIP("GZIP"),
  /** As zlib does. */
  ZLIB("ZLIB");

  private final String tfName;

  Compression(String tfName) {
    this.tfName = tfName;
  }

  /** How dataset ops call it. */
  String tfName() {
    return tfName;
  }
}

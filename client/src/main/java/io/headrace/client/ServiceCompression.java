package io.headrace.client;

import io.headrace.proto.data.DataServiceMetadata.Compression;

/** The compression of elements that travel by TensorFlow's unary calls. */
public enum ServiceCompression {
  /** No compression. */
  NONE(Compression.COMPRESSION_OFF),
  /** Snappy, unless the dispatcher disables it because it does not pay. */
  AUTO(Compression.COMPRESSION_SNAPPY),
  /** Snappy. */
  SNAPPY(Compression.COMPRESSION_FORCED_SNAPPY);

  private final Compression proto;

  ServiceCompression(Compression proto) {
    this.proto = proto;
  }

  Compression toProto() {
    return proto;
  }
}

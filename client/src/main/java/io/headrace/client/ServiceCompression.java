package io.headrace.client;

import io.headrace.proto.data.DataServiceMetadata.Compression;

/** How elements are compressed on their way, where they travel by TensorFlow's unary calls. */
public enum ServiceCompression {
  /** Not at all. */
  NONE(Compression.COMPRESSION_OFF),
  /** By snappy, unless the service finds that it does not pay. */
  AUTO(Compression.COMPRESSION_SNAPPY),
  /** By snappy. */
  SNAPPY(Compression.COMPRESSION_FORCED_SNAPPY);

  private final Compression proto;

  ServiceCompression(Compression proto) {
    this.proto = proto;
  }

  Compression toProto() {
    return proto;
  }
}

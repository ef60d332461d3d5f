package io.headrace.kernels.protobuf;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops on serialized protocol buffers. */
public final class ProtobufFamily {
  private ProtobufFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(DecodeJsonExampleOps.ops(), DecodeProtoOps.ops(), EncodeProtoOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

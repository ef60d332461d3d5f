package io.headrace.kernels.text;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops on strings: formatting, splitting, joining, hashing, Unicode. */
public final class TextFamily {
  private TextFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            AsStringOps.ops(),
            Base64Ops.ops(),
            DecodeCompressedOps.ops(),
            DecodeRawOps.ops(),
            FingerprintOps.ops(),
            ParseTensorOps.ops(),
            ReduceJoinOps.ops(),
            SerializeTensorOps.ops(),
            StringFormatOps.ops(),
            StringToHashBucketOps.ops(),
            StringJoinOps.ops(),
            StringLengthOps.ops(),
            StringLowerUpperOps.ops(),
            StringNGramsOps.ops(),
            StringSplitOps.ops(),
            StringStripOps.ops(),
            StringToNumberOps.ops(),
            SubstrOps.ops(),
            UnicodeOps.ops(),
            UnsortedSegmentJoinOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

package io.headrace.kernels.text;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops over strings: formatting, splitting, joining, hashing, regular expressions, Unicode. */
public final class TextFamily {
  private TextFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            AsStringOps.ops(),
            StringHashOps.ops(),
            StringJoinOps.ops(),
            StringToNumberOps.ops(),
            DecodeRawOps.ops(),
            RegexOps.ops(),
            ParseTensorOps.ops(),
            StringSplitOps.ops(),
            StringTransformOps.ops(),
            SubstringOps.ops(),
            StringFormatOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

package io.headrace.runtime.kernel;

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
            HashOps.ops(),
            JoinOps.ops(),
            NumberTextOps.ops(),
            RawOps.ops(),
            RegexOps.ops(),
            SerializationOps.ops(),
            SplitOps.ops(),
            StringOps.ops(),
            SubstringOps.ops(),
            TextOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

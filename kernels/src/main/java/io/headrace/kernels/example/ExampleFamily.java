package io.headrace.kernels.example;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops that parse tf.Example, tf.SequenceExample and CSV records. */
public final class ExampleFamily {
  private ExampleFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            DecodeCsvOps.ops(),
            ParseExampleOps.ops(),
            ParseSequenceExampleOps.ops(),
            ParseSingleSequenceExampleOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

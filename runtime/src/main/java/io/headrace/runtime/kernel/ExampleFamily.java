package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops that parse tf.Example, tf.SequenceExample and CSV records. */
public final class ExampleFamily {
  private ExampleFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(CsvOps.ops(), ExampleOps.ops(), SequenceExampleOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

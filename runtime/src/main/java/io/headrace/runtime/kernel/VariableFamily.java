package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Variables by resource handle and by reference, and the optimizers that update them. */
public final class VariableFamily {
  private VariableFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            GeneratorOps.ops(),
            OptimizerOps.ops(),
            ReferenceOps.ops(),
            VariableOps.ops(),
            VariableScatterOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

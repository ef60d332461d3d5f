package io.headrace.kernels.variable;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Variables by resource handle and by reference, the ops that read and update them, optimizers. */
public final class VariableFamily {
  private VariableFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            StatefulRandomOps.ops(),
            OptimizerOps.ops(),
            ResourceVariableOps.ops(),
            ResourceGatherOps.ops(),
            ScatterUpdateOps.ops(),
            ScatterNdUpdateOps.ops(),
            SliceAssignOps.ops(),
            RefVariableOps.ops(),
            AssignOps.ops(),
            CountUpToOps.ops(),
            TemporaryVariableOps.ops(),
            RefSelectOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

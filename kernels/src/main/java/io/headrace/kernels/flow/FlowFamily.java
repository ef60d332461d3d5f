package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Control flow: functional, by edges as in TensorFlow 1, and calls on other devices. */
public final class FlowFamily {
  private FlowFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(FunctionalControlFlowOps.OPS, SwitchMergeOps.ops(), RemoteCallOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

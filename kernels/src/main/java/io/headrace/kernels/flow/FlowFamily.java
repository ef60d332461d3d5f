package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Control flow: ops that run functions, TensorFlow 1's Switch and Merge, remote calls. */
public final class FlowFamily {
  private FlowFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            PartitionedCallOps.ops(),
            IfOps.ops(),
            ToBoolOps.ops(),
            CaseOps.ops(),
            WhileOps.ops(),
            ForOps.ops(),
            SymbolicGradientOps.ops(),
            SwitchMergeOps.ops(),
            EnterExitOps.ops(),
            ControlTriggerOps.ops(),
            SendRecvOps.ops(),
            RemoteCallOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}

package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import java.util.List;

/** PartitionedCall and StatefulPartitionedCall, which the executor implements. */
final class PartitionedCallOps {
  private static final String[] CALL_ATTRS = {
    "Tin: list(type)",
    "Tout: list(type)",
    "f: func",
    "config: string = ''",
    "config_proto: string = ''",
    "executor_type: string = ''"
  };

  private PartitionedCallOps() {}

  static List<Op> ops() {
    return List.of(call("PartitionedCall"), call("StatefulPartitionedCall"));
  }

  private static Op call(String name) {
    return Op.define(name + "(args: [Tin]) -> output: [Tout]")
        .attrs(CALL_ATTRS)
        .runsOnHost()
        .call();
  }
}

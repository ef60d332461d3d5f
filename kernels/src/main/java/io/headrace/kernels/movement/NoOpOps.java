package io.headrace.kernels.movement;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.Op;
import java.util.List;

/** NoOp: a node that only carries control dependencies. */
final class NoOpOps {
  private NoOpOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("NoOp()").shape(_ -> List.of()).runsOnHost().kernel(RowKernel.of(_ -> true)));
  }
}

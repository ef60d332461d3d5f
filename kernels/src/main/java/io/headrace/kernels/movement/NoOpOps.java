package io.headrace.kernels.movement;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.Op;
import java.util.List;

/** NoOp: an anchor for control edges. */
final class NoOpOps {
  private NoOpOps() {}

  static List<Op> ops() {
    return List.of(Op.define("NoOp()").shape(_ -> List.of()).kernel(RowKernel.of(_ -> true)));
  }
}

package io.headrace.client;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** An op that outputs the device on which it runs. */
public final class DeviceNameOp implements OpLibrary {
  /** For {@link java.util.ServiceLoader}. */
  public DeviceNameOp() {}

  @Override
  public List<Op> ops() {
    return List.of(
        Op.define("HeadraceTestPlace(x: int64) -> device: string")
            .shape(ShapeFunctions.SAME)
            .stateless(call -> call.setOutput(0, Tensor.scalar(call.device().name()))));
  }
}

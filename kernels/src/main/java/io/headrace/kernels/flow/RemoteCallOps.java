package io.headrace.kernels.flow;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.kernels.kit.Outputs;
import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** RemoteCall: calls a function on the device that an input names. */
final class RemoteCallOps {
  private RemoteCallOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("RemoteCall(target: string, args: [Tin]) -> output: [Tout]")
            .attrs("Tin: list(type)", "Tout: list(type)", "f: func")
            .stateful()
            .touches(Touch.NETWORK)
            .waiting(RemoteCall::new));
  }

  /** The calls of one node. Each runs as a step on its target device. */
  private static final class RemoteCall implements Kernel.Async {
    private final NodeSpec node;
    private final Map<String, PinnedFunction> functions = new ConcurrentHashMap<>();

    RemoteCall(NodeSpec node) {
      this.node = node;
    }

    @Override
    public CompletableFuture<Void> compute(KernelCall call) {
      Tensor target = call.input(0);
      if (target.elements() != 1) {
        throw invalidArgument("the target must be one device, and is %s", target);
      }
      PinnedFunction function =
          functions.computeIfAbsent(new String(target.string(0), UTF_8), this::on);
      List<Tensor> arguments = new ArrayList<>();
      for (int i = 1; i < call.inputs(); i++) {
        arguments.add(call.input(i));
      }
      return Outputs.set(
          call, call.step().devices().call(function, arguments, call.cancellation()));
    }

    private PinnedFunction on(String device) {
      PinnedFunction function = node.functions().pinned(node.attrs().function("f"), device);
      if (!node.attrs().types("Tin").equals(function.inputTypes())
          || !node.attrs().types("Tout").equals(function.outputTypes())) {
        throw invalidArgument(
            "node %s calls function %s with %s -> %s, which takes %s -> %s",
            node.name(),
            node.attrs().function("f").name(),
            node.attrs().types("Tin"),
            node.attrs().types("Tout"),
            function.inputTypes(),
            function.outputTypes());
      }
      return function;
    }
  }
}

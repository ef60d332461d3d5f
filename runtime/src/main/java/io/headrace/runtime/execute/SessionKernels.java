package io.headrace.runtime.execute;

import io.headrace.runtime.device.Resources;
import io.headrace.runtime.kernel.ControlFlowOps;
import io.headrace.runtime.kernel.CpuKernels;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The kernels of a session, one for each node, whichever steps it is part of: what a kernel
 * remembers, as where a random op stands, goes on from step to step. Closing it closes those that
 * can be closed, such as those with resources of their own. Thread-safe.
 */
public final class SessionKernels implements AutoCloseable {
  private final Map<String, Kernel> kernels = new ConcurrentHashMap<>();

  /** The kernel of {@code node}, made when it is first asked for. */
  Kernel of(NodeSpec node) {
    return kernels.computeIfAbsent(node.name(), _ -> create(node));
  }

  private static Kernel create(NodeSpec node) {
    return ControlFlowOps.isCall(node.op()) ? call(node) : CpuKernels.create(node);
  }

  private static Kernel.Sync call(NodeSpec node) {
    CallableFunction function = node.functions().instantiate(node.attrs().function("f"));
    return call -> {
      List<Tensor> inputs = new ArrayList<>();
      for (int i = 0; i < call.inputs(); i++) {
        inputs.add(call.input(i));
      }
      List<Tensor> results = function.call(inputs, call.step());
      for (int i = 0; i < results.size(); i++) {
        call.setOutput(i, results.get(i));
      }
    };
  }

  @Override
  public void close() {
    for (Kernel kernel : kernels.values()) {
      if (kernel instanceof AutoCloseable closeable) {
        Resources.release(closeable);
      }
    }
  }
}

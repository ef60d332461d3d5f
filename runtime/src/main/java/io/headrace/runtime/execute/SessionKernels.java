package io.headrace.runtime.execute;

import io.headrace.runtime.device.Resources;
import io.headrace.runtime.elementwise.CpuKernels;
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
 * remembers, as where a random op stands, goes on from step to step. Those of stateful ops last as
 * long as the session; the others as long as one of its graphs has their node. Closing it closes
 * those that can be closed, such as those with resources of their own. Thread-safe.
 */
public final class SessionKernels implements AutoCloseable {
  /**
   * A kernel.
   *
   * @param graphs how many graphs let go of it yet
   */
  private record Held(Kernel kernel, int graphs) {}

  private final Map<String, Held> kernels = new ConcurrentHashMap<>();

  /** What one graph has of them. Filled by one thread, and closed once, by any. */
  final class OfGraph implements AutoCloseable {
    private final List<String> shortLived = new ArrayList<>();

    private OfGraph() {}

    /** The kernel of {@code node}, made when a graph first asks for it. */
    Kernel of(NodeSpec node) {
      Held held =
          kernels.compute(
              node.name(),
              (_, known) ->
                  known == null
                      ? new Held(create(node), 1)
                      : new Held(known.kernel(), known.graphs() + 1));
      if (!node.op().isStateful() && !(held.kernel() instanceof AutoCloseable)) {
        shortLived.add(node.name());
      }
      return held.kernel();
    }

    /** Lets go of those that do not outlive the graph. */
    @Override
    public void close() {
      for (String name : shortLived) {
        kernels.computeIfPresent(
            name,
            (_, held) -> held.graphs() == 1 ? null : new Held(held.kernel(), held.graphs() - 1));
      }
    }
  }

  /** Those of a further graph. */
  OfGraph ofGraph() {
    return new OfGraph();
  }

  /** How many there are. */
  int count() {
    return kernels.size();
  }

  private static Kernel create(NodeSpec node) {
    return node.op().isCall() ? call(node) : CpuKernels.create(node);
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
    for (Held held : kernels.values()) {
      if (held.kernel() instanceof AutoCloseable closeable) {
        Resources.release(closeable);
      }
    }
  }
}

package io.headrace.runtime.execute;

import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelFactory;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The kernels of a session, one per node, shared by its graphs: the state of a kernel, as of a
 * random op, persists across steps. Kernels of stateful ops live as long as the session; others as
 * long as one of its graphs contains their node. Closing closes the kernels that are {@link
 * AutoCloseable}, such as those that own resources. Thread-safe.
 */
public final class SessionKernels implements AutoCloseable {
  /**
   * A kernel with its reference count.
   *
   * @param graphs the number of graphs that use it
   */
  private record Held(Kernel kernel, int graphs) {}

  private final Map<String, Held> kernels = new ConcurrentHashMap<>();

  /** The kernels of one graph. Filled by one thread; closed once, by any thread. */
  final class OfGraph implements AutoCloseable {
    private final List<String> shortLived = new ArrayList<>();

    private OfGraph() {}

    /** The kernel of {@code node}, created by {@code maker} on first use. */
    Kernel of(NodeSpec node, KernelFactory maker) {
      Held held =
          kernels.compute(
              node.name(),
              (_, known) ->
                  known == null
                      ? new Held(create(node, maker), 1)
                      : new Held(known.kernel(), known.graphs() + 1));
      if (!node.op().isStateful() && !(held.kernel() instanceof AutoCloseable)) {
        shortLived.add(node.name());
      }
      return held.kernel();
    }

    /** Releases the kernels that do not outlive the graph. */
    @Override
    public void close() {
      for (String name : shortLived) {
        kernels.computeIfPresent(
            name,
            (_, held) -> held.graphs() == 1 ? null : new Held(held.kernel(), held.graphs() - 1));
      }
    }
  }

  /** The kernels of another graph. */
  OfGraph ofGraph() {
    return new OfGraph();
  }

  /** The number of kernels. */
  int count() {
    return kernels.size();
  }

  private static Kernel create(NodeSpec node, KernelFactory maker) {
    return node.op().isCall() ? call(node) : maker.create(node);
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

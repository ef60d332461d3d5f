package io.headrace.runtime.execute;

import io.headrace.runtime.execute.GraphExecutor.Threads;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.SystemTicker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Runs the part of a function that TensorFlow 1's control flow decides: on the caller's thread, or,
 * if nodes of it may wait for others, on virtual threads. Concurrent calls are independent.
 */
final class ControlFlowKernel implements Kernel.Async {
  private static final Threads THREADS =
      new Threads(Thread::startVirtualThread, SystemTicker.INSTANCE);

  private final GraphExecutor executor;
  private final List<Integer> returned;

  private ControlFlowKernel(GraphExecutor executor, List<Integer> returned) {
    this.executor = executor;
    this.returned = returned;
  }

  /**
   * The kernel of {@code node}.
   *
   * @param name the node's name in its function; calls around it add a prefix
   */
  static ControlFlowKernel of(
      NodeSpec node, String name, ControlFlowBody body, FunctionLibrary library) {
    String prefix = node.name().substring(0, node.name().length() - name.length());
    return new ControlFlowKernel(
        GraphExecutor.prepareBody(body.nodes(prefix), library, THREADS), body.returned());
  }

  @Override
  public CompletableFuture<Void> compute(KernelCall call) {
    List<Tensor> arguments = new ArrayList<>(call.inputs());
    for (int i = 0; i < call.inputs(); i++) {
      arguments.add(call.input(i));
    }
    FunctionFrame frame = new FunctionFrame(call.step(), arguments);
    return executor
        .call(frame)
        .thenRun(() -> {
          for (int i = 0; i < returned.size(); i++) {
            call.setOutput(i, frame.result(returned.get(i)));
          }
        });
  }
}

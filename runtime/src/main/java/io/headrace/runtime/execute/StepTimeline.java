package io.headrace.runtime.execute;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** When the nodes of one step ran, and what they gave. Thread-safe. */
public final class StepTimeline {
  /**
   * The run of a node. Times are the ticker's, in nanoseconds.
   *
   * @param node its name
   * @param op the name of its op
   * @param inputs the tensors that it took, by their names in the graph
   * @param device where it ran
   * @param startNanos when it began to run, or to wait for what it receives
   * @param endNanos when its outputs were there
   * @param threadId the thread that it ended on
   * @param outputs its outputs, without those that are dead
   */
  public record NodeTime(
      String node,
      String op,
      List<String> inputs,
      Device device,
      long startNanos,
      long endNanos,
      long threadId,
      List<Output> outputs) {}

  /** What is known of an output: which it is, its dtype and shape, and its size. */
  public record Output(int slot, DataType dtype, Shape shape, long bytes) {}

  private final Ticker ticker;
  private final Map<GraphRun.Ready, Long> running = new ConcurrentHashMap<>();
  private final Queue<NodeTime> times = new ConcurrentLinkedQueue<>();

  /** An empty one. */
  public StepTimeline(Ticker ticker) {
    this.ticker = ticker;
  }

  /** What ran so far, in the order of its end. */
  public List<NodeTime> times() {
    return List.copyOf(times);
  }

  void begin(GraphRun.Ready ready) {
    running.put(ready, ticker.nanoTime());
  }

  void end(GraphRun.Ready ready, @Nullable Object[] outputs) {
    Long started = running.remove(ready);
    if (started == null) {
      return; // it was dead, or an error ended the step
    }
    GraphNode node = ready.node();
    times.add(
        new NodeTime(
            node.spec.name(),
            node.spec.op().name(),
            node.inputNames,
            node.place.device(),
            started,
            ticker.nanoTime(),
            Thread.currentThread().threadId(),
            described(outputs)));
  }

  private static List<Output> described(@Nullable Object[] outputs) {
    List<Output> described = new ArrayList<>();
    for (int i = 0; i < outputs.length; i++) {
      Object output = outputs[i] instanceof Alias alias ? alias.read() : outputs[i];
      if (output instanceof Tensor tensor) {
        described.add(new Output(i, tensor.dtype(), tensor.shape(), tensor.byteSize()));
      }
    }
    return described;
  }
}

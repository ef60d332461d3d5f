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

/** A timeline of one step: when its nodes ran, and their outputs. Thread-safe. */
public final class StepTimeline {
  /**
   * The run of a node. Times are in nanoseconds of the ticker.
   *
   * @param node the node's name
   * @param op the op's name
   * @param inputs the names of its input tensors in the graph
   * @param device the device that ran it
   * @param startNanos when it started to run, or to wait for a received tensor
   * @param endNanos when its outputs were available
   * @param threadId the thread on which it ended
   * @param outputs its outputs, without dead ones
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

  /** An output: its index, dtype, shape and size. */
  public record Output(int slot, DataType dtype, Shape shape, long bytes) {}

  private final Ticker ticker;
  private final Map<GraphRun.Ready, Long> running = new ConcurrentHashMap<>();
  private final Queue<NodeTime> times = new ConcurrentLinkedQueue<>();

  /** An empty timeline. */
  public StepTimeline(Ticker ticker) {
    this.ticker = ticker;
  }

  /** The finished node runs, in order of completion. */
  public List<NodeTime> times() {
    return List.copyOf(times);
  }

  void begin(GraphRun.Ready ready) {
    running.put(ready, ticker.nanoTime());
  }

  void end(GraphRun.Ready ready, @Nullable Object[] outputs) {
    Long started = running.remove(ready);
    GraphNode node = ready.node();
    @Nullable NodePlacement place = node.place;
    if (started == null || place == null) {
      return; // the node was dead, an error ended the step, or the node is part of a call
    }
    times.add(
        new NodeTime(
            node.spec.name(),
            node.spec.op().name(),
            node.inputNames,
            place.device(),
            started,
            ticker.nanoTime(),
            Thread.currentThread().threadId(),
            described(outputs)));
  }

  private static List<Output> described(@Nullable Object[] outputs) {
    List<Output> described = new ArrayList<>();
    for (int i = 0; i < outputs.length; i++) {
      Object output = outputs[i] instanceof ReferenceAlias alias ? alias.read() : outputs[i];
      if (output instanceof Tensor tensor) {
        described.add(new Output(i, tensor.dtype(), tensor.shape(), tensor.byteSize()));
      }
    }
    return described;
  }
}

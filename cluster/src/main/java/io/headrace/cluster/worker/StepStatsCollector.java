package io.headrace.cluster.worker;

import io.headrace.proto.tensorflow.AllocationDescription;
import io.headrace.proto.tensorflow.DeviceStepStats;
import io.headrace.proto.tensorflow.NodeExecStats;
import io.headrace.proto.tensorflow.NodeOutput;
import io.headrace.proto.tensorflow.StepStats;
import io.headrace.proto.tensorflow.TensorDescription;
import io.headrace.runtime.execute.StepTimeline;
import io.headrace.runtime.execute.StepTimeline.NodeTime;
import io.headrace.runtime.execute.StepTimeline.Output;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.time.Ticker;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Times the nodes of a step at its task and reports them as TensorFlow's StepStats. Thread-safe.
 */
final class StepStatsCollector {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final String ALLOCATOR = "cpu";

  private final StepTimeline timeline;

  /** The offset from the ticker's nanoseconds to those since 1970. */
  private final long epochNanos;

  StepStatsCollector(Ticker ticker, InstantSource clock) {
    this.timeline = new StepTimeline(ticker);
    Instant now = clock.instant();
    this.epochNanos =
        TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - ticker.nanoTime();
  }

  StepTimeline timeline() {
    return timeline;
  }

  /** The times of the nodes that have run so far, by device. */
  StepStats stats() {
    Map<String, DeviceStepStats.Builder> devices = new LinkedHashMap<>();
    for (NodeTime time : timeline.times()) {
      devices
          .computeIfAbsent(
              time.device().name(), name -> DeviceStepStats.newBuilder().setDevice(name))
          .addNodeStats(stats(time));
    }
    StepStats.Builder stats = StepStats.newBuilder();
    devices.values().forEach(stats::addDevStats);
    return stats.build();
  }

  private NodeExecStats stats(NodeTime time) {
    long start = epochNanos + time.startNanos();
    long took = time.endNanos() - time.startNanos();
    NodeExecStats.Builder stats =
        NodeExecStats.newBuilder()
            .setNodeName(time.node())
            .setTimelineLabel(
                "%s = %s(%s)".formatted(time.node(), time.op(), String.join(", ", time.inputs())))
            .setThreadId((int) time.threadId())
            .setScheduledNanos(start)
            .setScheduledMicros(start / NANOS_PER_MICRO)
            .setAllStartNanos(start)
            .setAllStartMicros(start / NANOS_PER_MICRO)
            .setOpEndRelNanos(took)
            .setOpEndRelMicros(took / NANOS_PER_MICRO)
            .setAllEndRelNanos(took)
            .setAllEndRelMicros(took / NANOS_PER_MICRO);
    time.outputs().forEach(output -> stats.addOutput(describe(output)));
    return stats.build();
  }

  private static NodeOutput describe(Output output) {
    return NodeOutput.newBuilder()
        .setSlot(output.slot())
        .setTensorDescription(
            TensorDescription.newBuilder()
                .setDtypeValue(output.dtype().number())
                .setShape(TensorProtos.shape(output.shape()))
                .setAllocationDescription(
                    AllocationDescription.newBuilder()
                        .setAllocatorName(ALLOCATOR)
                        .setRequestedBytes(output.bytes())))
        .build();
  }
}

package io.headrace.runtime.execute;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One iteration of a frame: what its nodes were given so far. Guarded by the run's lock. */
final class FrameIteration {
  final FrameRun frame;
  final long number;
  final @Nullable Object[] inputs;

  /** The frames entered from it. */
  final Map<Frame, FrameRun> children = new HashMap<>();

  /** Nodes that are ready or run. */
  int outstanding;

  private final int[] arrived;
  private final int[] dead;

  FrameIteration(FrameRun frame, long number) {
    this.frame = frame;
    this.number = number;
    this.inputs = new Object[frame.frame.inputs];
    this.arrived = new int[frame.frame.nodes];
    this.dead = new int[frame.frame.nodes];
  }

  /** What {@code node} still waits for. */
  int pending(GraphNode node) {
    return node.pending - arrived[node.index];
  }

  void arrive(GraphNode node, int count) {
    arrived[node.index] += count;
  }

  int dead(GraphNode node) {
    return dead[node.index];
  }

  void countDead(GraphNode node) {
    dead[node.index]++;
  }

  boolean isIdle() {
    return outstanding == 0 && children.isEmpty();
  }
}

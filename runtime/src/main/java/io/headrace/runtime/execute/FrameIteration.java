package io.headrace.runtime.execute;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One iteration of a frame: the values and counts that its nodes have received. Guarded by the
 * run's lock.
 */
final class FrameIteration {
  final FrameState frame;
  final long number;
  final @Nullable Object[] inputs;

  /** The frames entered from this iteration. */
  final Map<Frame, FrameState> children = new HashMap<>();

  /** The number of nodes that are ready or running. */
  int outstanding;

  private final int[] arrived;
  private final int[] dead;

  FrameIteration(FrameState frame, long number) {
    this.frame = frame;
    this.number = number;
    this.inputs = new Object[frame.frame.inputs];
    this.arrived = new int[frame.frame.nodes];
    this.dead = new int[frame.frame.nodes];
  }

  /**
   * The number of inputs and control inputs that {@code node} still waits for; see {@link
   * GraphNode#pending}.
   */
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

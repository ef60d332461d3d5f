package io.headrace.runtime.execute;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An instance of a frame in one step, entered from one iteration of its parent. Guarded by the
 * run's lock.
 */
final class FrameState {
  /** A value that enters an iteration; null if it is dead. */
  record Entry(GraphNode from, @Nullable Object value) {}

  final Frame frame;
  final @Nullable FrameIteration entered;
  final long id;

  /** The iterations in progress. */
  final Map<Long, FrameIteration> iterations = new HashMap<>();

  /** The number of the newest iteration. */
  long newest;

  /** The number of Enter nodes that have not delivered a value. */
  int pendingInputs;

  /**
   * The exits that were dead in the newest iteration. If the frame ends there, they are dead for
   * the parent.
   */
  final List<GraphNode> deadExits = new ArrayList<>();

  /**
   * The values for the next iteration, deferred because the maximum number of iterations is
   * running.
   */
  final List<Entry> deferred = new ArrayList<>();

  /** The loop invariants, delivered to every iteration. */
  final List<Entry> invariants = new ArrayList<>();

  FrameState(Frame frame, @Nullable FrameState parent, @Nullable FrameIteration entered, long id) {
    this.frame = frame;
    this.entered = entered;
    this.id = id;
    this.pendingInputs = frame.entrances;
    if ((parent == null) != (entered == null)) {
      throw new IllegalArgumentException("a frame has a parent and its iteration, or neither");
    }
    iterations.put(0L, new FrameIteration(this, 0));
  }

  FrameIteration first() {
    return iteration(0);
  }

  FrameIteration iteration(long number) {
    FrameIteration found = iterations.get(number);
    if (found == null) {
      throw new IllegalStateException("iteration " + number + " of " + frame.name + " is over");
    }
    return found;
  }

  boolean isOver() {
    return pendingInputs == 0 && iterations.isEmpty();
  }
}

package io.headrace.runtime.execute;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A frame in one step: entered from one iteration of its parent. Guarded by the run's lock. */
final class FrameRun {
  /** A value that goes into an iteration; null for a dead one. */
  record Entry(GraphNode from, @Nullable Object value) {}

  final Frame frame;
  final @Nullable FrameIteration entered;
  final long id;

  /** Those that are not over. */
  final Map<Long, FrameIteration> iterations = new HashMap<>();

  /** The number of the newest. */
  long newest;

  /** Enter nodes that have not delivered yet. */
  int pendingInputs;

  /** Exits that were dead in the newest iteration: dead for the parent if the frame ends so. */
  final List<GraphNode> deadExits = new ArrayList<>();

  /** What waits for an iteration to end, as no more may run at a time. */
  final List<Entry> deferred = new ArrayList<>();

  /** What is the same in each iteration. */
  final List<Entry> invariants = new ArrayList<>();

  FrameRun(Frame frame, @Nullable FrameRun parent, @Nullable FrameIteration entered, long id) {
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

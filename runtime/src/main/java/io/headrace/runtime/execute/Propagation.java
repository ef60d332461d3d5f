package io.headrace.runtime.execute;

import io.headrace.runtime.execute.FrameState.Entry;
import io.headrace.runtime.execute.GraphNode.Edge;
import io.headrace.runtime.execute.GraphNode.Kind;
import io.headrace.runtime.execute.GraphRun.Ready;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Propagates the outputs of a finished node: delivers them to their consumers, collects the nodes
 * that become ready, and ends iterations and frames. A null value is dead: it comes from an untaken
 * branch. Runs under the run's lock.
 */
final class Propagation {
  private final List<Ready> ready;

  Propagation(List<Ready> ready) {
    this.ready = ready;
  }

  void propagate(Ready done, @Nullable Object[] outputs) {
    GraphNode node = done.node();
    FrameIteration iteration = done.iteration();
    clearInputs(node, iteration);
    switch (node.kind) {
      case ENTER -> enter(node, iteration, outputs[0]);
      case EXIT -> exit(node, iteration, outputs[0]);
      case NEXT_ITERATION -> next(node, iteration, outputs[0]);
      default -> activate(node, iteration, done.isDead(), outputs);
    }
    iteration.outstanding--;
    endIterations(iteration);
  }

  private static void clearInputs(GraphNode node, FrameIteration iteration) {
    for (int i = 0; i < node.inputs(); i++) {
      iteration.inputs[node.firstInput + i] = null;
    }
  }

  private void enter(GraphNode node, FrameIteration iteration, @Nullable Object value) {
    Frame inner = node.inner;
    if (inner == null) {
      throw new IllegalStateException("enter " + node + " leads nowhere");
    }
    FrameState frame =
        iteration.children.computeIfAbsent(
            inner,
            f ->
                new FrameState(
                    f,
                    iteration.frame,
                    iteration,
                    FrameIds.child(iteration.frame.id, iteration.number, f.name)));
    frame.pendingInputs--;
    if (node.isConstantEnter) {
      frame.invariants.add(new Entry(node, value));
      for (long i = 0; i <= frame.newest; i++) {
        if (frame.iterations.containsKey(i)) {
          activate(node, frame.iteration(i), value == null, new Object[] {value});
        }
      }
    } else {
      activate(node, frame.first(), value == null, new Object[] {value});
    }
    if (frame.first().isIdle()) {
      endIterations(frame.first()); // the Enter's value has no consumer in the frame
    }
  }

  private void exit(GraphNode node, FrameIteration iteration, @Nullable Object value) {
    FrameState frame = iteration.frame;
    FrameIteration outer = frame.entered;
    if (value != null && outer != null) {
      activate(node, outer, false, new Object[] {value});
    } else if (iteration.number == frame.newest) {
      frame.deadExits.add(node);
    }
  }

  private void next(GraphNode node, FrameIteration iteration, @Nullable Object value) {
    FrameState frame = iteration.frame;
    if (value == null) {
      return; // the loop ends here
    }
    if (iteration.number < frame.newest) {
      activate(node, frame.iteration(iteration.number + 1), false, new Object[] {value});
    } else if (frame.iterations.size() >= frame.frame.parallelIterations) {
      frame.deferred.add(new Entry(node, value));
    } else {
      activate(node, begin(frame), false, new Object[] {value});
    }
  }

  /** Starts the iteration after the newest, with the deferred values and the loop invariants. */
  private FrameIteration begin(FrameState frame) {
    frame.newest++;
    frame.deadExits.clear();
    FrameIteration iteration = new FrameIteration(frame, frame.newest);
    frame.iterations.put(frame.newest, iteration);
    List<Entry> waited = List.copyOf(frame.deferred);
    frame.deferred.clear();
    for (Entry entry : waited) {
      activate(entry.from(), iteration, false, new Object[] {entry.value()});
    }
    for (Entry entry : frame.invariants) {
      activate(entry.from(), iteration, entry.value() == null, new Object[] {entry.value()});
    }
    return iteration;
  }

  /** Delivers the outputs of {@code node} to their consumers in {@code iteration}. */
  private void activate(
      GraphNode node, FrameIteration iteration, boolean isDead, @Nullable Object[] outputs) {
    for (int i = 0; i < node.outputs.size(); i++) {
      for (Edge edge : node.outputs.get(i)) {
        deliver(node, iteration, edge, isDead ? null : outputs[i]);
      }
    }
    for (GraphNode target : node.controlOutputs) {
      control(iteration, target, isDead);
    }
  }

  private void deliver(
      GraphNode from, FrameIteration iteration, Edge edge, @Nullable Object value) {
    GraphNode target = edge.node();
    if (target.kind == Kind.MERGE) {
      deliverToMerge(from, iteration, edge, value);
      return;
    }
    iteration.arrive(target, 1);
    if (value == null) {
      iteration.countDead(target);
    } else {
      iteration.inputs[target.firstInput + edge.slot()] = value;
    }
    if (iteration.pending(target) == 0) {
      add(target, iteration, iteration.dead(target) > 0);
    }
  }

  private void deliverToMerge(
      GraphNode from, FrameIteration iteration, Edge edge, @Nullable Object value) {
    GraphNode target = edge.node();
    if (value == null) {
      // The back edge of a loop's merge is fed by the loop's own iterations only.
      iteration.countDead(target);
      boolean dead = iteration.dead(target) == target.inputs() || from.kind == Kind.ENTER;
      if (dead && iteration.pending(target) == 1) {
        add(target, iteration, true);
      }
      return;
    }
    if (iteration.pending(target) % 2 == 0) {
      return; // it already has an input
    }
    iteration.inputs[target.firstInput + edge.slot()] = value;
    iteration.arrive(target, 1);
    if (iteration.pending(target) == 0) {
      add(target, iteration, false);
    }
  }

  private void control(FrameIteration iteration, GraphNode target, boolean isDead) {
    if (target.kind == Kind.MERGE) {
      iteration.arrive(target, 2);
      boolean dead = iteration.dead(target) == target.inputs();
      int pending = iteration.pending(target);
      if (pending == 0 || (pending == 1 && dead)) {
        add(target, iteration, dead);
      }
      return;
    }
    iteration.arrive(target, 1);
    if (isDead) {
      iteration.countDead(target);
    }
    if (iteration.pending(target) == 0) {
      add(target, iteration, iteration.dead(target) > 0);
    }
  }

  private void add(GraphNode node, FrameIteration iteration, boolean isDead) {
    iteration.outstanding++;
    ready.add(new Ready(node, iteration, isDead && node.kind != Kind.CONTROL_TRIGGER));
  }

  /** Removes {@code iteration} and its successors if they are finished, and then their frame. */
  private void endIterations(FrameIteration iteration) {
    FrameState frame = iteration.frame;
    FrameIteration outer = frame.entered;
    if (outer == null) {
      return; // the root ends with the run
    }
    long number = iteration.number;
    while (number <= frame.newest && isOver(frame, number)) {
      frame.iterations.remove(number);
      number++;
      if (!frame.deferred.isEmpty()) {
        begin(frame);
      }
    }
    if (frame.isOver() && outer.children.remove(frame.frame, frame)) {
      for (GraphNode exit : frame.deadExits) {
        activate(exit, outer, true, new Object[1]);
      }
      endIterations(outer);
    }
  }

  private static boolean isOver(FrameState frame, long number) {
    FrameIteration iteration = frame.iterations.get(number);
    if (iteration == null || !iteration.isIdle()) {
      return false;
    }
    return number == 0 ? frame.pendingInputs == 0 : !frame.iterations.containsKey(number - 1);
  }
}

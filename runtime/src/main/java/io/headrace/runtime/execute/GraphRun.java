package io.headrace.runtime.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.runtime.device.VariableReference;
import io.headrace.runtime.execute.GraphExecutor.Threads;
import io.headrace.runtime.execute.GraphNode.Calls;
import io.headrace.runtime.execute.GraphNode.Kind;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One step of a {@link GraphExecutor}. */
final class GraphRun {
  /** A node that is ready in one iteration of its frame. */
  record Ready(GraphNode node, FrameIteration iteration, boolean isDead) {}

  /**
   * The id and the environment of a step.
   *
   * @param frame the call that the step executes; null if the graph is no function's body
   */
  record Step(
      long id,
      Rendezvous rendezvous,
      Cancellation cancellation,
      @Nullable StepTimeline timeline,
      @Nullable FunctionFrame frame) {}

  private final Threads threads;

  /**
   * Runs the first nodes of the step, and nodes that waited: the pool, or the thread that completes
   * the wait.
   */
  private final Executor next;

  private final long stepId;
  private final Rendezvous rendezvous;
  private final @Nullable StepTimeline timeline;
  private final @Nullable FunctionFrame frame;
  private final Cancellation cancellation;
  private final Cancellation.Registration registration;
  private final Map<NodePlacement, StepContext> contexts = new HashMap<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final FrameIteration root;

  /** Guards all iterations and the count of outstanding nodes. */
  private final Object lock = new Object();

  @GuardedBy("lock")
  private int outstanding;

  private volatile @Nullable StatusException failure;

  GraphRun(Threads threads, boolean isQuick, Frame rootFrame, Step step) {
    this.threads = threads;
    this.next = isQuick ? Runnable::run : threads.pool();
    this.stepId = step.id();
    this.rendezvous = step.rendezvous();
    this.timeline = step.timeline();
    this.frame = step.frame();
    this.cancellation = new Cancellation();
    this.root = new FrameState(rootFrame, null, null, FrameIds.ROOT).first();
    this.registration = step.cancellation().onCancel(() -> fail(GraphExecutor.cancelled()));
  }

  CompletableFuture<Void> start(Collection<GraphNode> roots) {
    Deque<Ready> ready = new ArrayDeque<>();
    roots.forEach(node -> ready.add(new Ready(node, root, false)));
    synchronized (lock) {
      outstanding = ready.size();
      root.outstanding = ready.size();
    }
    if (ready.isEmpty()) {
      finish();
    } else {
      next.execute(() -> process(ready));
    }
    return done;
  }

  private void process(Deque<Ready> inline) {
    for (Ready ready = inline.poll(); ready != null; ready = inline.poll()) {
      if (failure != null) {
        nodeDone(ready, new Object[0], inline);
      } else if (ready.isDead() && !ready.node().kind.isTransfer()) {
        nodeDone(ready, new Object[ready.node().outputs.size()], inline);
      } else {
        run(ready, inline);
      }
    }
  }

  private void run(Ready ready, Deque<Ready> inline) {
    if (timeline != null) {
      timeline.begin(ready);
    }
    try {
      switch (ready.node().kind) {
        case KERNEL -> runKernel(ready, inline);
        case RECEIVE -> receive(ready, inline);
        case SEND -> send(ready, inline);
        case SWITCH -> nodeDone(ready, switchOutputs(ready), inline);
        case SWITCH_N -> nodeDone(ready, switchNOutputs(ready), inline);
        case MERGE -> nodeDone(ready, mergeOutputs(ready), inline);
        case ENTER, EXIT, NEXT_ITERATION, PASS ->
            nodeDone(ready, new Object[] {forwarded(ready, 0)}, inline);
        case CONTROL_TRIGGER -> nodeDone(ready, new Object[0], inline);
        case ARGUMENT -> nodeDone(ready, new Object[] {called().argument(ready.node())}, inline);
        case RESULT -> {
          called().setResult(ready.node(), input(ready, 0));
          nodeDone(ready, new Object[0], inline);
        }
      }
    } catch (RuntimeException | Error e) {
      failed(ready, e, inline);
    }
  }

  private FunctionFrame called() {
    if (frame == null) {
      throw new IllegalStateException("the run executes no call");
    }
    return frame;
  }

  private void failed(Ready ready, Throwable thrown, Deque<Ready> inline) {
    GraphNode node = ready.node();
    fail(NodeErrors.of(thrown, node.spec.op().name(), node.spec.name()));
    nodeDone(ready, new Object[0], inline);
  }

  private void runKernel(Ready ready, Deque<Ready> inline) {
    GraphNode node = ready.node();
    Tensor[] inputs = new Tensor[node.inputs()];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = input(ready, i);
    }
    NodeCall call = new NodeCall(inputs, node.outputs.size(), context(node.place));
    switch (node.kernel) {
      case Kernel.Sync sync when node.calls == Calls.VIRTUAL_THREAD ->
          then(
              CompletableFuture.runAsync(() -> sync.compute(call), Thread::startVirtualThread),
              ready,
              _ -> call.results(),
              inline);
      case Kernel.Sync sync -> {
        compute(node, sync, call);
        nodeDone(ready, call.results(), inline);
      }
      case Kernel.Async async -> {
        CompletableFuture<Void> result = async.compute(call);
        Cancellation.Registration waiting = cancellation.onCancel(() -> result.cancel(false));
        then(result.whenComplete((_, _) -> waiting.close()), ready, _ -> call.results(), inline);
      }
      case null -> throw new IllegalStateException("node " + node + " has no kernel");
    }
  }

  private void compute(GraphNode node, Kernel.Sync kernel, NodeCall call) {
    long started = threads.ticker().nanoTime();
    if (node.calls == Calls.EXCLUSIVE) {
      synchronized (kernel) {
        kernel.compute(call);
      }
    } else {
      kernel.compute(call);
    }
    node.noteCost(threads.ticker().nanoTime() - started);
  }

  /**
   * Sends a tensor. In a loop the node completes only when the tensor has been received, so that
   * the sender is at most the allowed number of parallel iterations ahead of the receiver.
   */
  private void send(Ready ready, Deque<Ready> inline) {
    CompletableFuture<Void> received = rendezvous.send(key(ready), sent(ready));
    if (ready.iteration().equals(root)) {
      nodeDone(ready, new Object[0], inline);
    } else {
      then(received, ready, _ -> new Object[0], inline);
    }
  }

  private void receive(Ready ready, Deque<Ready> inline) {
    then(
        rendezvous.receive(key(ready)),
        ready,
        value -> new Object[] {value.isDead() ? null : value.tensor()},
        inline);
  }

  /** Converts the result of a wait to outputs. */
  @FunctionalInterface
  private interface Outputs<T> {
    @Nullable Object[] of(T value);
  }

  /** Completes {@code ready} with {@code result}, now or when it is available. */
  private <T> void then(
      CompletableFuture<T> result, Ready ready, Outputs<T> outputs, Deque<Ready> before) {
    if (result.isDone()) {
      nodeDone(ready, outputs.of(result.join()), before);
      return;
    }
    var _ =
        result.whenComplete((value, thrown) ->
            next.execute(() -> {
              Deque<Ready> inline = new ArrayDeque<>();
              if (thrown != null) {
                failed(ready, thrown, inline);
              } else {
                finishLater(ready, value, outputs, inline);
              }
              process(inline);
            }));
  }

  private <T> void finishLater(Ready ready, T value, Outputs<T> outputs, Deque<Ready> next) {
    @Nullable Object[] results;
    try {
      results = outputs.of(value);
    } catch (RuntimeException e) {
      failed(ready, e, next);
      return;
    }
    nodeDone(ready, results, next);
  }

  private StepContext context(@Nullable NodePlacement place) {
    if (place == null) {
      return called().context().withCancellation(cancellation);
    }
    synchronized (contexts) {
      return contexts.computeIfAbsent(
          place,
          p ->
              new StepContext(
                  stepId, p.device(), p.resources(), cancellation, p.devices(), p.tensors()));
    }
  }

  private String key(Ready ready) {
    FrameIteration iteration = ready.iteration();
    return ready.node().keyPrefix
        + Long.toUnsignedString(iteration.frame.id)
        + ":"
        + iteration.number;
  }

  private Value sent(Ready ready) {
    return ready.isDead() ? Value.dead() : Value.of(input(ready, 0));
  }

  private static Tensor input(Ready ready, int index) {
    return switch (received(ready, index)) {
      case ReferenceAlias alias -> alias.read();
      case Tensor handle when ready.node().reads[index] -> VariableReference.read(handle);
      case Tensor tensor -> tensor;
      default -> throw missingInput(ready, index);
    };
  }

  /** An input of a node that forwards it; fails if it refers to an uninitialized variable. */
  private static Object forwarded(Ready ready, int index) {
    Tensor now = input(ready, index);
    return switch (received(ready, index)) {
      case ReferenceAlias alias -> alias;
      case Tensor handle when ready.node().reads[index] -> new ReferenceAlias(handle);
      default -> now;
    };
  }

  private static Object received(Ready ready, int index) {
    Object value = ready.iteration().inputs[ready.node().firstInput + index];
    if (value == null) {
      throw missingInput(ready, index);
    }
    return value;
  }

  private static IllegalStateException missingInput(Ready ready, int index) {
    return new IllegalStateException(
        "input " + index + " of node " + ready.node() + " is not there");
  }

  private static @Nullable Object[] switchOutputs(Ready ready) {
    @Nullable Object[] outputs = new Object[2];
    outputs[selector(ready).bool(0) ? 1 : 0] = forwarded(ready, 0);
    return outputs;
  }

  private static @Nullable Object[] switchNOutputs(Ready ready) {
    @Nullable Object[] outputs = new Object[ready.node().outputs.size()];
    int index = (int) selector(ready).integer(0);
    boolean isOne = index >= 0 && index < outputs.length;
    outputs[isOne ? index : outputs.length - 1] = forwarded(ready, 0);
    return outputs;
  }

  private static Tensor selector(Ready ready) {
    Tensor selector = input(ready, 1);
    if (selector.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "The second input must be a scalar, but it has shape %s", selector.shape());
    }
    return selector;
  }

  private static @Nullable Object[] mergeOutputs(Ready ready) {
    GraphNode node = ready.node();
    for (int i = 0; i < node.inputs(); i++) {
      if (ready.iteration().inputs[node.firstInput + i] != null) {
        return new Object[] {forwarded(ready, i), Tensor.scalar(i)};
      }
    }
    throw new IllegalStateException("merge " + node + " has no input");
  }

  private void nodeDone(Ready done, @Nullable Object[] outputs, Deque<Ready> inline) {
    if (timeline != null) {
      timeline.end(done, outputs);
    }
    List<Ready> ready = new ArrayList<>();
    boolean last;
    synchronized (lock) {
      if (failure == null) {
        new Propagation(ready).propagate(done, outputs);
        outstanding += ready.size();
      }
      outstanding--;
      last = outstanding == 0;
    }
    schedule(ready, inline);
    if (last) {
      finish();
    }
  }

  /**
   * Keeps cheap nodes for this thread, and one expensive node if there is nothing else; dispatches
   * the rest.
   */
  private void schedule(List<Ready> ready, Deque<Ready> inline) {
    Ready expensive = null;
    for (Ready next : ready) {
      if (next.isDead()
          || next.node().kind != Kind.KERNEL
          || next.node().costNanos < GraphNode.EXPENSIVE_NANOS) {
        inline.add(next);
      } else {
        if (expensive != null) {
          dispatch(expensive);
        }
        expensive = next;
      }
    }
    if (expensive != null) {
      if (inline.isEmpty()) {
        inline.add(expensive);
      } else {
        dispatch(expensive);
      }
    }
  }

  private void dispatch(Ready ready) {
    threads.pool().execute(() -> process(new ArrayDeque<>(List.of(ready))));
  }

  private void fail(StatusException e) {
    synchronized (lock) {
      if (failure != null) {
        return;
      }
      failure = e;
    }
    rendezvous.abort(e);
    cancellation.cancel();
  }

  private void finish() {
    registration.close();
    cancellation.cancel(); // releases resources of the step, such as mutex locks
    StatusException e = failure;
    if (e == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(e);
    }
  }
}

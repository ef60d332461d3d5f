package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.resource.AsyncMonitor.Attempt;
import io.headrace.kernels.resource.AsyncMonitor.Progress;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A queue, the resource behind the handle of a queue op; an element is a tuple of tensors. Enqueues
 * into a full queue and dequeues from an empty one wait, in order of arrival, without blocking a
 * thread. Thread-safe.
 */
public final class TensorQueue {
  /** The kinds of queues. */
  enum Kind {
    /** First in, first out. */
    FIFO("FIFOQueue"),
    /** Random order. */
    RANDOM_SHUFFLE("RandomShuffleQueue"),
    /** First in, first out; a batch pads elements of different shapes. */
    PADDING_FIFO("PaddingFIFOQueue"),
    /** Ordered by the first component. */
    PRIORITY("PriorityQueue");

    private final String opName;

    Kind(String opName) {
      this.opName = opName;
    }

    /** The op that creates such a queue, without the suffix V2. */
    String opName() {
      return opName;
    }
  }

  /**
   * The attrs of a queue node.
   *
   * @param kind the order of dequeues
   * @param capacity the maximum number of elements
   * @param minAfterDequeue the number of elements that dequeues leave in an open queue
   * @param types the dtypes of the components
   * @param shapes the shapes of the components; empty if undeclared
   */
  record Spec(
      Kind kind, int capacity, int minAfterDequeue, List<DataType> types, List<Shape> shapes) {}

  private static final int ENQUEUE = 0;
  private static final int DEQUEUE = 1;

  private final String name;
  private final Spec spec;
  private final ElementStore elements;
  private final AsyncMonitor monitor = new AsyncMonitor(2);

  /** Guarded by the monitor. */
  private boolean closed;

  TensorQueue(String name, Spec spec, ElementStore elements) {
    this.name = name;
    this.spec = spec;
    this.elements = elements;
  }

  /** The queue of {@code handle}; INVALID_ARGUMENT for any other handle. */
  public static TensorQueue of(Tensor handle) {
    if (handle.elements() == 1
        && handle.dtype() == DataType.RESOURCE
        && handle.reference(0) instanceof TensorQueue queue) {
      return queue;
    }
    throw WrongHandle.of(handle, "queue");
  }

  String name() {
    return name;
  }

  Spec spec() {
    return spec;
  }

  int size() {
    return monitor.read(elements::size);
  }

  boolean isClosed() {
    return monitor.read(() -> closed);
  }

  /** Enqueues one element once there is room; CANCELLED if the queue closes first. */
  CompletableFuture<List<Tensor>> enqueue(List<Tensor> element, Cancellation cancellation) {
    QueueShapes.checkElement(spec, element);
    checkPriority(element.getFirst());
    return enqueueAll(List.of(element), cancellation);
  }

  /**
   * Enqueues the rows of {@code components}, one by one as there is room. CANCELLED if the queue
   * closes before all are enqueued.
   */
  CompletableFuture<List<Tensor>> enqueueMany(List<Tensor> components, Cancellation cancellation) {
    QueueShapes.checkMany(spec, components);
    List<List<Tensor>> rows = new ArrayList<>();
    for (int i = 0; i < components.getFirst().shape().size(0); i++) {
      int row = i;
      rows.add(components.stream().map(component -> component.row(row)).toList());
    }
    if (rows.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    checkPriority(rows.getFirst().getFirst());
    return enqueueAll(rows, cancellation);
  }

  private void checkPriority(Tensor first) {
    if (spec.kind() == Kind.PRIORITY && first.shape().rank() != 0) {
      throw invalidArgument(
          "Expected the priority element to be a scalar, but received shape: %s", first.shape());
    }
  }

  private CompletableFuture<List<Tensor>> enqueueAll(
      List<List<Tensor>> rows, Cancellation cancellation) {
    return monitor.begin(ENQUEUE, "Enqueue", new Enqueue(rows), cancellation);
  }

  private final class Enqueue implements Attempt {
    private final List<List<Tensor>> rows;
    private int done;

    Enqueue(List<List<Tensor>> rows) {
      this.rows = rows;
    }

    @Override
    public Progress proceed() {
      if (closed) {
        throw StatusException.of(
            StatusCode.CANCELLED, "%s '%s' is closed.", spec.kind().opName(), name);
      }
      Progress progress = Progress.NONE;
      while (done < rows.size() && elements.size() < spec.capacity()) {
        elements.add(rows.get(done).stream().map(Tensor::detach).toList());
        done++;
        progress = Progress.SOME;
      }
      return done == rows.size() ? Progress.DONE : progress;
    }
  }

  /** Dequeues one element once one is present; OUT_OF_RANGE if the queue is closed and empty. */
  public CompletableFuture<List<Tensor>> dequeue(Cancellation cancellation) {
    return monitor.begin(DEQUEUE, "Dequeue", new Dequeue(1, false, List::getFirst), cancellation);
  }

  /**
   * Dequeues {@code count} elements once that many are present, each component stacked along a new
   * first dimension. If the queue is closed and holds fewer, dequeues those if {@code upTo};
   * otherwise OUT_OF_RANGE. A cancelled call puts back the elements it had taken.
   */
  CompletableFuture<List<Tensor>> dequeueMany(int count, boolean upTo, Cancellation cancellation) {
    QueueShapes.checkBatched(spec);
    if (count == 0) {
      return CompletableFuture.completedFuture(QueueShapes.emptyBatch(spec));
    }
    Dequeue attempt = new Dequeue(count, upTo, taken -> QueueShapes.batch(spec, taken));
    return monitor.begin(DEQUEUE, "Dequeue", attempt, cancellation);
  }

  /** Joins the dequeued elements into one tuple. */
  @FunctionalInterface
  private interface Joiner {
    List<Tensor> join(List<List<Tensor>> taken);
  }

  private final class Dequeue implements Attempt {
    private final List<List<Tensor>> taken = new ArrayList<>();
    private final boolean upTo;
    private final Joiner joiner;
    private int wanted;

    Dequeue(int wanted, boolean upTo, Joiner joiner) {
      this.wanted = wanted;
      this.upTo = upTo;
      this.joiner = joiner;
    }

    @Override
    public Progress proceed() {
      if (closed && elements.size() < wanted - taken.size()) {
        takeRemaining();
      }
      int missing = wanted - taken.size();
      int available = elements.size() - (closed ? 0 : spec.minAfterDequeue());
      boolean isOrdered = spec.kind() == Kind.PRIORITY;
      if (available <= 0 || (isOrdered && available < missing)) {
        return Progress.NONE; // elements of higher priority may arrive before the rest
      }
      for (int i = Math.min(available, missing); i > 0; i--) {
        taken.add(elements.take());
      }
      return taken.size() == wanted ? Progress.DONE : Progress.SOME;
    }

    private void takeRemaining() {
      int missing = wanted - taken.size();
      int size = elements.size();
      withdraw();
      if (!upTo || elements.size() == 0) {
        throw StatusException.of(
            StatusCode.OUT_OF_RANGE,
            "%s '%s' is closed and has insufficient elements (requested %d, current size %d)",
            spec.kind().opName(),
            name,
            missing,
            size);
      }
      wanted = elements.size();
    }

    @Override
    public List<Tensor> outputs() {
      return joiner.join(taken);
    }

    @Override
    public void withdraw() {
      taken.reversed().forEach(elements::giveBack);
      taken.clear();
    }
  }

  /**
   * Closes the queue after the enqueues that wait; with {@code cancelsWaiting} at once, cancelling
   * them. CANCELLED if it is already closed, except with {@code cancelsWaiting}.
   */
  CompletableFuture<List<Tensor>> close(boolean cancelsWaiting, Cancellation cancellation) {
    if (cancelsWaiting) {
      monitor.changeAndCancel(ENQUEUE, () -> closed = true);
      return CompletableFuture.completedFuture(List.of());
    }
    return monitor.begin(ENQUEUE, "Close", new Close(), cancellation);
  }

  private final class Close implements Attempt {
    @Override
    public Progress proceed() {
      if (closed) {
        throw StatusException.of(StatusCode.CANCELLED, "Queue '%s' is already closed.", name);
      }
      closed = true;
      return Progress.DONE;
    }
  }
}

package io.headrace.dataset.session;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.session.DatasetPass.Outcome;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The resource behind an iterator's handle: a pass over a dataset, from which the steps of sessions
 * take elements. It can be initialized again, with another dataset. Thread-safe.
 */
final class SessionIterator implements AutoCloseable {
  /*
   * Callers queue up without holding a thread. While there are callers, at most one thread takes rows
   * from the pass. The row goes to the caller that is first in the queue when the row is ready, so a
   * row whose caller was cancelled goes to the next one.
   */

  private final String container;
  private final String name;
  private final ElementTypes types;
  private final Deque<CompletableFuture<Optional<List<Tensor>>>> waiting = new ArrayDeque<>();
  private @Nullable DatasetPass pass;
  private boolean taking;
  private boolean closed;

  SessionIterator(String container, String name, ElementTypes types) {
    this.container = container;
    this.name = name;
    this.types = types;
  }

  String container() {
    return container;
  }

  String name() {
    return name;
  }

  ElementTypes types() {
    return types;
  }

  /**
   * Starts a pass over {@code dataset}, replacing the current one; waiting callers get its
   * elements.
   *
   * @throws StatusException INVALID_ARGUMENT if the dataset's types do not match the iterator's
   */
  void begin(DatasetValue dataset, StepContext step) {
    types.check(dataset);
    DatasetPass next = DatasetPass.open(dataset, step);
    DatasetPass last;
    boolean late;
    synchronized (this) {
      late = closed;
      last = late ? next : pass;
      pass = late ? pass : next;
    }
    if (last != null) {
      last.close();
    }
    if (late) {
      throw deleted(StatusCode.FAILED_PRECONDITION);
    }
  }

  /** Starts a pass over the dataset of {@code maker}, unless there is a pass. */
  void beginIfNew(Supplier<DatasetValue> maker, StepContext step) {
    synchronized (this) {
      if (pass != null) {
        return; // started by another node with the same shared name
      }
    }
    begin(maker.get(), step);
  }

  private StatusException deleted(StatusCode code) {
    return StatusException.of(code, "the iterator %s was deleted", name);
  }

  /**
   * The next element, or empty at the end. Fails with CANCELLED if {@code cancellation} is
   * cancelled; the element then goes to the next caller.
   */
  CompletableFuture<Optional<List<Tensor>>> next(Cancellation cancellation) {
    CompletableFuture<Optional<List<Tensor>>> caller = new CompletableFuture<>();
    boolean first;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(deleted(StatusCode.FAILED_PRECONDITION));
      }
      if (pass == null) {
        return CompletableFuture.failedFuture(
            new StatusException(
                StatusCode.FAILED_PRECONDITION,
                "GetNext() failed because the iterator has not been initialized. Ensure that you"
                    + " have run the initializer operation for this iterator before getting the"
                    + " next element."));
      }
      waiting.add(caller);
      first = !taking;
      taking = true;
    }
    Cancellation.Registration registration = cancellation.onCancel(() -> withdraw(caller));
    var _ = caller.whenComplete((_, _) -> registration.close());
    if (first) {
      DatasetPass.THREADS.execute(this::take);
    }
    return caller;
  }

  @SuppressWarnings("ReferenceEquality") // a future equals only itself
  private void withdraw(CompletableFuture<Optional<List<Tensor>>> caller) {
    synchronized (this) {
      if (!waiting.removeIf(each -> each == caller)) {
        return;
      }
    }
    caller.completeExceptionally(
        new StatusException(StatusCode.CANCELLED, "Iterator operation was cancelled"));
  }

  /** Computes rows while callers wait. */
  private void take() {
    for (DatasetPass from = begun(); from != null; from = begun()) {
      give(from, from.next());
    }
  }

  /** The pass to take the next row from; null if no caller waits. */
  private synchronized @Nullable DatasetPass begun() {
    taking = !waiting.isEmpty();
    return taking ? pass : null;
  }

  @SuppressWarnings("ReferenceEquality") // identity of the pass
  private void give(DatasetPass from, Outcome outcome) {
    CompletableFuture<Optional<List<Tensor>>> caller;
    synchronized (this) {
      if (from != pass) {
        return; // an outcome of a replaced pass
      }
      caller = waiting.poll();
      if (caller == null) {
        from.hold(outcome);
        return;
      }
    }
    from.took(outcome);
    RuntimeException failure = outcome.failure();
    if (failure == null) {
      caller.complete(outcome.row());
    } else {
      caller.completeExceptionally(failure);
    }
  }

  /** Ends the pass and fails the waiting callers. Idempotent. */
  @Override
  public void close() {
    DatasetPass last;
    List<CompletableFuture<Optional<List<Tensor>>>> callers;
    synchronized (this) {
      closed = true;
      last = pass;
      pass = null;
      callers = List.copyOf(waiting);
      waiting.clear();
    }
    if (last != null) {
      last.close();
    }
    callers.forEach(caller -> caller.completeExceptionally(deleted(StatusCode.CANCELLED)));
  }
}

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
 * take elements. It may be made anew, of another dataset. Thread-safe.
 */
final class SessionIterator implements AutoCloseable {
  /*
   * Callers stand in a line, and wait without a thread. While there are some, one thread at most
   * takes rows from the pass, for the first in the line: who that is is seen when the row is there,
   * so that a row whose caller was cancelled goes to the next one.
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
   * Begins a pass over {@code dataset}, in place of the one that there is. Those who wait get its
   * elements.
   *
   * @throws StatusException INVALID_ARGUMENT if its elements are not as the iterator's are declared
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

  /** Does the same with what {@code maker} makes, unless it has a pass. */
  void beginIfNew(Supplier<DatasetValue> maker, StepContext step) {
    synchronized (this) {
      if (pass != null) {
        return; // somebody else's, found by its shared name
      }
    }
    begin(maker.get(), step);
  }

  private StatusException deleted(StatusCode code) {
    return StatusException.of(code, "the iterator %s was deleted", name);
  }

  /**
   * The next element, or nothing at the end; CANCELLED when {@code cancellation} says so, and then
   * the element is the next caller's.
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

  @SuppressWarnings("ReferenceEquality") // futures are equal to themselves only
  private void withdraw(CompletableFuture<Optional<List<Tensor>>> caller) {
    synchronized (this) {
      if (!waiting.removeIf(each -> each == caller)) {
        return;
      }
    }
    caller.completeExceptionally(
        new StatusException(StatusCode.CANCELLED, "Iterator operation was cancelled"));
  }

  /** Takes rows for as long as somebody waits. */
  private void take() {
    for (DatasetPass from = begun(); from != null; from = begun()) {
      give(from, from.next());
    }
  }

  /** What to take the next row from; null if nobody waits for one. */
  private synchronized @Nullable DatasetPass begun() {
    taking = !waiting.isEmpty();
    return taking ? pass : null;
  }

  @SuppressWarnings("ReferenceEquality") // that very pass
  private void give(DatasetPass from, Outcome outcome) {
    CompletableFuture<Optional<List<Tensor>>> caller;
    synchronized (this) {
      if (from != pass) {
        return; // a row, or the end, of a pass that is over
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

  /** Ends its pass, and fails those who wait for elements. Idempotent. */
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

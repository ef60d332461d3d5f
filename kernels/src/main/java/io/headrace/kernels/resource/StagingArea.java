package io.headrace.kernels.resource;

import io.headrace.kernels.resource.AsyncMonitor.Attempt;
import io.headrace.kernels.resource.AsyncMonitor.Progress;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A staging area: a queue of tensor tuples that passes values from one step to another, bounded in
 * number and in bytes. Callers wait without blocking a thread. Thread-safe.
 */
final class StagingArea {
  private static final int PUT = 0;
  private static final int TAKE = 1;
  private static final int PEEK = 2;

  private final long capacity;
  private final long memoryLimit;
  private final List<List<Tensor>> tuples = new ArrayList<>();
  private final AsyncMonitor monitor = new AsyncMonitor(3);
  private long bytes;

  /**
   * A staging area of at most {@code capacity} tuples and {@code memoryLimit} bytes; 0 is
   * unbounded.
   */
  StagingArea(long capacity, long memoryLimit) {
    this.capacity = capacity;
    this.memoryLimit = memoryLimit;
  }

  private static long bytes(List<Tensor> tuple) {
    return tuple.stream().mapToLong(Tensor::byteSize).sum();
  }

  /** Adds a tuple once it fits; RESOURCE_EXHAUSTED if it can never fit. */
  CompletableFuture<List<Tensor>> put(List<Tensor> tuple, Cancellation cancellation) {
    long more = bytes(tuple);
    if (memoryLimit > 0 && more > memoryLimit) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "Attempted to insert tensors with combined size of '%d' bytes into Staging Area with a"
              + " memory limit of '%d'.",
          more,
          memoryLimit);
    }
    Attempt put =
        () -> {
          if ((capacity > 0 && tuples.size() >= capacity)
              || (memoryLimit > 0 && bytes + more > memoryLimit)) {
            return Progress.NONE;
          }
          tuples.add(tuple);
          bytes += more;
          return Progress.DONE;
        };
    return monitor.begin(PUT, "Stage", put, cancellation);
  }

  /** Removes the oldest tuple once one is present. */
  CompletableFuture<List<Tensor>> take(Cancellation cancellation) {
    return monitor.begin(TAKE, "Unstage", new TakeOrPeek(0, true), cancellation);
  }

  /** Tuple {@code index} once it is present, without removing it. */
  CompletableFuture<List<Tensor>> peek(long index, Cancellation cancellation) {
    return monitor.begin(PEEK, "StagePeek", new TakeOrPeek(index, false), cancellation);
  }

  private final class TakeOrPeek implements Attempt {
    private final long index;
    private final boolean takes;
    private List<Tensor> seen = List.of();

    TakeOrPeek(long index, boolean takes) {
      this.index = index;
      this.takes = takes;
    }

    @Override
    public Progress proceed() {
      if (index < 0 || index >= tuples.size()) {
        return Progress.NONE;
      }
      seen = takes ? tuples.removeFirst() : tuples.get((int) index);
      bytes -= takes ? bytes(seen) : 0;
      return Progress.DONE;
    }

    @Override
    public boolean allowsOvertaking() {
      return !takes; // a peek at an index that is present may overtake
    }

    @Override
    public List<Tensor> outputs() {
      return seen;
    }
  }

  int size() {
    return monitor.read(tuples::size);
  }

  void clear() {
    monitor.change(() -> {
      tuples.clear();
      bytes = 0;
    });
  }
}

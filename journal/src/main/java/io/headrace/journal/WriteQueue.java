package io.headrace.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be written to a journal: many callers add, one writer takes. Thread-safe.
 *
 * <p>After a failure the queue is in doubt, and refuses, until the owner has replayed, or need not.
 */
final class WriteQueue {
  /** How many bytes of records are written together, unless one batch has more. */
  private static final long MAX_GROUP_BYTES = 4 << 20;

  /** How many bytes of records may wait; an append that finds more waits, too. */
  private static final long MAX_WAITING_BYTES = 64 << 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<Write> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private long waitingBytes;

  @GuardedBy("lock")
  private boolean inDoubt;

  @GuardedBy("lock")
  private @Nullable Supplier<StatusException> refusal;

  @GuardedBy("lock")
  private boolean closed;

  /** A batch, or a snapshot, and whoever waits for it. */
  record Write(
      List<byte[]> records, boolean isSnapshot, long bytes, CompletableFuture<Long> result) {
    private static Write of(List<byte[]> records, boolean isSnapshot) {
      long bytes = records.stream().mapToLong(record -> record.length).sum();
      return new Write(records, isSnapshot, bytes, new CompletableFuture<>());
    }
  }

  /** Adds {@code records}; the result is for the writer to complete, unless they are refused. */
  CompletableFuture<Long> add(List<byte[]> records, boolean isSnapshot) {
    Write write = Write.of(records, isSnapshot);
    @Nullable StatusException refused;
    lock.lock();
    try {
      while (waitingBytes > MAX_WAITING_BYTES && refused() == null) {
        changed.awaitUninterruptibly();
      }
      refused = refused();
      if (refused == null) {
        waiting.add(write);
        waitingBytes += write.bytes();
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
    if (refused != null) {
      write.result().completeExceptionally(refused);
    }
    return write.result();
  }

  /** Whether there is something to write. */
  boolean hasWaiting() {
    lock.lock();
    try {
      return !waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Gives as many writes as go together; none if none wait. */
  List<Write> poll() {
    return take(Duration.ZERO);
  }

  /**
   * The same, and waits {@code atMost} so long for one; none if none come, or once all is closed
   * and written.
   */
  List<Write> take(Duration atMost) {
    lock.lock();
    try {
      long nanos = atMost.toNanos();
      while (waiting.isEmpty() && !closed && nanos > 0) {
        nanos = await(nanos);
      }
      return takeGroup();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end, {@code atMost} so long. */
  boolean awaitClosed(Duration atMost) {
    lock.lock();
    try {
      long nanos = atMost.toNanos();
      while (!closed && nanos > 0) {
        nanos = await(nanos);
      }
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Whether nothing is left to take, and nothing will come. */
  boolean isDone() {
    lock.lock();
    try {
      return closed && waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses what is added until {@link #trust}; gives what waited. */
  List<Write> doubt() {
    lock.lock();
    try {
      inDoubt = true;
      List<Write> all = List.copyOf(waiting);
      waiting.clear();
      waitingBytes = 0;
      changed.signalAll();
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** The owner knows how things stand. */
  void trust() {
    lock.lock();
    try {
      inDoubt = false;
    } finally {
      lock.unlock();
    }
  }

  /** Until further notice refuses what is added for this reason; null for none. */
  void refuse(@Nullable Supplier<StatusException> reason) {
    lock.lock();
    try {
      refusal = reason;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses what is added from now on; what waits can still be taken. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** What a closed journal says. */
  static StatusException closed() {
    return new StatusException(StatusCode.FAILED_PRECONDITION, "the journal is closed");
  }

  @GuardedBy("lock")
  private @Nullable StatusException refused() {
    if (closed) {
      return closed();
    }
    if (refusal != null) {
      return refusal.get();
    }
    return inDoubt
        ? new StatusException(
            StatusCode.UNAVAILABLE, "a write to the journal failed, and it was not replayed since")
        : null;
  }

  @GuardedBy("lock")
  private List<Write> takeGroup() {
    List<Write> group = new ArrayList<>();
    long bytes = 0;
    while (!waiting.isEmpty() && fits(waiting.element(), group, bytes)) {
      Write write = waiting.remove();
      bytes += write.bytes();
      group.add(write);
    }
    waitingBytes -= bytes;
    changed.signalAll();
    return group;
  }

  private static boolean fits(Write write, List<Write> group, long bytes) {
    return group.isEmpty()
        || (!write.isSnapshot()
            && !group.getFirst().isSnapshot()
            && bytes + write.bytes() <= MAX_GROUP_BYTES);
  }

  @GuardedBy("lock")
  @SuppressWarnings("WaitNotInLoop") // the callers loop
  private long await(long nanos) {
    try {
      return changed.awaitNanos(nanos);
    } catch (InterruptedException e) {
      // Nobody has the writer's thread to interrupt it.
      throw new IllegalStateException(e);
    }
  }
}

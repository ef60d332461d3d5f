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
 * The queue of writes to a journal, with many producers and one consumer, the writer. Thread-safe.
 *
 * <p>After a failed write the queue is in doubt and refuses writes, until the owner has replayed
 * the journal or resumed without a replay.
 */
final class WriteQueue {
  /** Most bytes of records in a group commit, unless a single batch has more. */
  private static final long MAX_GROUP_BYTES = 4 << 20;

  /** Most bytes of queued records; {@link #add} blocks while there are more. */
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

  /** A batch or a snapshot, with the caller's future. */
  record Write(
      List<byte[]> records, boolean isSnapshot, long bytes, CompletableFuture<Long> result) {
    private static Write of(List<byte[]> records, boolean isSnapshot) {
      long bytes = records.stream().mapToLong(record -> record.length).sum();
      return new Write(records, isSnapshot, bytes, new CompletableFuture<>());
    }
  }

  /**
   * Queues {@code records}. The writer completes the future, unless the write is refused. Blocks
   * while the queue is full.
   */
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

  /** Whether a write is queued. */
  boolean hasWaiting() {
    lock.lock();
    try {
      return !waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Takes the writes of the next group commit; empty if none is queued. */
  List<Write> poll() {
    return take(Duration.ZERO);
  }

  /**
   * As {@link #poll}, but waits up to {@code atMost} for a write; empty if none arrives, or once
   * the queue is closed and drained.
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

  /** Waits up to {@code atMost} until the queue is closed; returns whether it is. */
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

  /** Whether the queue is closed and drained. */
  boolean isDone() {
    lock.lock();
    try {
      return closed && waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses writes until {@link #endDoubt}; returns the queued ones. */
  List<Write> enterDoubt() {
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

  /** Ends the doubt. */
  void endDoubt() {
    lock.lock();
    try {
      inDoubt = false;
    } finally {
      lock.unlock();
    }
  }

  /** Refuses writes with {@code reason} until further notice; null accepts them again. */
  void refuse(@Nullable Supplier<StatusException> reason) {
    lock.lock();
    try {
      refusal = reason;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses writes from now on; queued ones can still be taken. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The error of a closed journal. */
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
      // No caller interrupts the writer's thread.
      throw new IllegalStateException(e);
    }
  }
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock with a condition of its own and {@linkplain #newWaiters others}, whose waits end when the
 * pass is cancelled or closed. Thread-safe.
 *
 * <p>Usage: {@code monitor.lock(); try { while (...) monitor.await(); ... } finally {
 * monitor.unlock(); }}
 */
public final class CancellableMonitor {
  private final ReentrantLock lock = new ReentrantLock();
  private final Waiters changed = new Waiters(lock.newCondition());

  /** Guarded by the lock. */
  private final Set<Waiters> others = new HashSet<>();

  private final Cancellation cancellation;
  private final Cancellation.Registration registration;

  /**
   * Threads that wait for one kind of change, and that others of the monitor need not wake. All
   * methods are called with the monitor locked.
   */
  public final class Waiters {
    private final Condition condition;

    private Waiters(Condition condition) {
      this.condition = condition;
    }

    /** As {@link CancellableMonitor#await()}, for a signal of these waiters. */
    @SuppressWarnings("WaitNotInLoop") // every caller loops
    public void await() {
      cancellation.check();
      try {
        condition.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StatusException(StatusCode.CANCELLED, "the thread was interrupted", e);
      }
      cancellation.check();
    }

    /** Wakes all that wait. */
    public void signal() {
      condition.signalAll();
    }

    /** Wakes one that waits, if any. */
    public void signalOne() {
      condition.signal();
    }

    /** Wakes all that wait; a cancellation wakes no thread that waits afterwards. Idempotent. */
    public void close() {
      signal();
      others.remove(this);
    }
  }

  /** A monitor whose waits end when {@code cancellation} is cancelled. */
  public CancellableMonitor(Cancellation cancellation) {
    this.cancellation = cancellation;
    this.registration = cancellation.onCancel(this::wake);
  }

  public void lock() {
    lock.lock();
  }

  public void unlock() {
    lock.unlock();
  }

  /** Throws CANCELLED if the pass is cancelled or closed. */
  public void check() {
    cancellation.check();
  }

  /**
   * Waits for a {@link #signal}; may return spuriously. Throws CANCELLED if cancelled or
   * interrupted.
   */
  public void await() {
    changed.await();
  }

  /** {@link #await}, whose duration counts for {@code waiting}. */
  public void await(StageTime waiting) {
    waiting.begin();
    try {
      await();
    } finally {
      waiting.end();
    }
  }

  /** Wakes all threads in {@link #await()}. */
  public void signal() {
    changed.signal();
  }

  /** Waiters with a condition of their own; to be closed once none of them waits any more. */
  public Waiters newWaiters() {
    lock.lock();
    try {
      Waiters waiters = new Waiters(lock.newCondition());
      others.add(waiters);
      return waiters;
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      changed.signal();
      others.forEach(Waiters::signal);
    } finally {
      lock.unlock();
    }
  }

  /** Unregisters from the cancellation; no thread may wait afterwards. */
  public void close() {
    registration.close();
  }
}

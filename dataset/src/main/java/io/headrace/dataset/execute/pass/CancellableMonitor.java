package io.headrace.dataset.execute.pass;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock with one condition, whose waits end when the pass is cancelled or closed. Thread-safe.
 *
 * <p>Usage: {@code monitor.lock(); try { while (...) monitor.await(); ... } finally {
 * monitor.unlock(); }}
 */
public final class CancellableMonitor {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Cancellation cancellation;
  private final Cancellation.Registration registration;

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
  @SuppressWarnings("WaitNotInLoop")
  public // every caller loops
  void await() {
    cancellation.check();
    try {
      changed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "the thread was interrupted", e);
    }
    cancellation.check();
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

  /** Wakes all waiting threads. */
  public void signal() {
    changed.signalAll();
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Unregisters from the cancellation; no thread may wait afterwards. */
  public void close() {
    registration.close();
  }
}

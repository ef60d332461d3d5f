package io.headrace.dataset.execute;

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
final class Monitor {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Cancellation cancellation;
  private final Cancellation.Registration registration;

  /** A monitor whose waits end when {@code cancellation} is cancelled. */
  Monitor(Cancellation cancellation) {
    this.cancellation = cancellation;
    this.registration = cancellation.onCancel(this::wake);
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /** Throws CANCELLED if the pass is cancelled or closed. */
  void check() {
    cancellation.check();
  }

  /**
   * Waits for a {@link #signal}, or for no reason; throws CANCELLED if cancelled or interrupted.
   */
  @SuppressWarnings("WaitNotInLoop") // every caller loops
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

  /** Wakes all that wait, to look again. */
  void signal() {
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

  /** No one will wait any more. */
  void close() {
    registration.close();
  }
}

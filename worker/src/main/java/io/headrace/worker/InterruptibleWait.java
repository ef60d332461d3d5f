package io.headrace.worker;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An interruptible wait: {@link #poke} ends one wait early, {@link #end} all of them. Thread-safe.
 */
final class InterruptibleWait {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean poked;
  private boolean ended;

  /**
   * Waits for {@code duration}, or until {@link #poke} or {@link #end}, also if that call came
   * before.
   *
   * @return false after {@link #end}, or if this thread was interrupted
   */
  boolean await(Duration duration) {
    lock.lock();
    try {
      long nanos = duration.toNanos();
      while (!poked && !ended && nanos > 0) {
        nanos = changed.awaitNanos(nanos);
      }
      poked = false;
      return !ended;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current wait early, or else the next one. */
  void poke() {
    lock.lock();
    try {
      poked = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current wait and all later ones. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean hasEnded() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }
}

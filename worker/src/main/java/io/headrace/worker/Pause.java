package io.headrace.worker;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A wait that others can cut short, once or for good. Thread-safe. */
final class Pause {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean poked;
  private boolean ended;

  /**
   * Waits for so long, or until {@link #poke} or {@link #end}, also if that was before. False if it
   * has ended, or this thread was interrupted.
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

  /** Cuts one wait short: this one, or the next. */
  void poke() {
    lock.lock();
    try {
      poked = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Cuts this wait and all others short. */
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

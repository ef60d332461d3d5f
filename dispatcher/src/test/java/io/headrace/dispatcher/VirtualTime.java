package io.headrace.dispatcher;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * A discrete event queue with a virtual clock; all events run in order on the calling thread. The
 * ticker's value overflows soon after the start.
 */
final class VirtualTime implements Ticker {
  private static final long START_NANOS = Long.MAX_VALUE - 1;

  private final Queue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong((Event event) -> event.nanos).thenComparingLong(e -> e.number));
  private long elapsedNanos;
  private long lastNumber;

  private record Event(long nanos, long number, Runnable action) {}

  @Override
  public long nanoTime() {
    return START_NANOS + elapsedNanos;
  }

  /** Nanoseconds since the start. */
  long elapsedNanos() {
    return elapsedNanos;
  }

  /** Schedules {@code action} in {@code nanos} nanoseconds. */
  void after(long nanos, Runnable action) {
    events.add(new Event(elapsedNanos + nanos, ++lastNumber, action));
  }

  /** Runs the next event; false if there is none. */
  boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    elapsedNanos = Math.max(elapsedNanos, next.nanos);
    next.action.run();
    return true;
  }

  /** Advances the time by {@code duration} and runs all events that fall due. */
  void advance(Duration duration) {
    long end = elapsedNanos + duration.toNanos();
    for (Event next = events.peek(); next != null && next.nanos <= end; next = events.peek()) {
      var _ = step();
    }
    elapsedNanos = end;
  }

  /** Advances the time without running events: those that fell due are late. */
  void sleep(Duration duration) {
    elapsedNanos += duration.toNanos();
  }
}

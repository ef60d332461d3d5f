package io.headrace.dispatcher;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Time that goes by when it is told to, and what happens in it, in order, on the thread that tells
 * it. Its ticker overflows soon after the start.
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

  /** Has {@code action} happen so many nanoseconds from now. */
  void after(long nanos, Runnable action) {
    events.add(new Event(elapsedNanos + nanos, ++lastNumber, action));
  }

  /** Goes on to the next thing that happens; false if nothing does. */
  boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    elapsedNanos = Math.max(elapsedNanos, next.nanos);
    next.action.run();
    return true;
  }

  /** Lets {@code duration} go by, with all that happens in it. */
  void advance(Duration duration) {
    long end = elapsedNanos + duration.toNanos();
    for (Event next = events.peek(); next != null && next.nanos <= end; next = events.peek()) {
      var _ = step();
    }
    elapsedNanos = end;
  }

  /** Lets {@code duration} go by in which nothing happens: what was due is late. */
  void sleep(Duration duration) {
    elapsedNanos += duration.toNanos();
  }
}

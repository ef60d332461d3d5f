package io.headrace.client;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.Locale;

/**
 * For how long a reader may give its user elements. In a job that others may share, the dispatcher
 * takes a reader for lost that it has not heard of for twice a time-out, and gives others what that
 * had not reported as taken. So a reader stops after one time-out without an answer, counted from
 * when it asked: whatever it was given by then, it has stopped long before others get it.
 *
 * <p>It has no bounds until a dispatcher says so. Thread-safe.
 */
final class DeliveryLease {
  /** It is renewed so many times in a time-out. */
  private static final int RENEWALS = 4;

  private final Ticker ticker;
  private volatile Term term;

  /**
   * What the last answer gave.
   *
   * @param askedNanos when that was asked for
   * @param nanos for how long it counts; 0 for ever
   */
  private record Term(long askedNanos, long nanos) {}

  DeliveryLease(Ticker ticker) {
    this.ticker = ticker;
    term = new Term(ticker.nanoTime(), 0);
  }

  /** The time now, to be told to {@link #answered} of what is asked for now. */
  long nanoTime() {
    return ticker.nanoTime();
  }

  /**
   * The dispatcher has answered what was asked for at {@code askedNanos}.
   *
   * @param timeoutMillis its time-out, as it says; 0 if the reader need never stop
   */
  synchronized void answered(long askedNanos, long timeoutMillis) {
    if (askedNanos - term.askedNanos >= 0) {
      term = new Term(askedNanos, Duration.ofMillis(timeoutMillis).toNanos());
    }
  }

  /** Whether it can end. */
  boolean isBounded() {
    return term.nanos > 0;
  }

  /** Whether nothing more may be given to the user until there is an answer. */
  boolean hasLapsed() {
    Term last = term;
    return last.nanos > 0 && silentNanos(last) >= last.nanos;
  }

  /** Whether the reader may be declared lost by now. */
  boolean isLongOver() {
    Term last = term;
    return last.nanos > 0 && silentNanos(last) >= 2 * last.nanos;
  }

  /** Nanoseconds until it should be renewed, at most 0 if that is due; it must be bounded. */
  long untilRenewalNanos() {
    Term last = term;
    return last.nanos / RENEWALS - silentNanos(last);
  }

  /** Nanoseconds that an attempt to renew it, or a pause between two, may take. */
  long attemptNanos() {
    return Math.max(1, term.nanos / RENEWALS);
  }

  /** For how long there was no answer. */
  @Override
  public String toString() {
    Term last = term;
    return String.format(
        Locale.ROOT,
        "the dispatcher has not answered it for %.1f s (client_timeout_ms is %d)",
        silentNanos(last) / 1e9,
        Duration.ofNanos(last.nanos).toMillis());
  }

  private long silentNanos(Term last) {
    return ticker.nanoTime() - last.askedNanos;
  }
}

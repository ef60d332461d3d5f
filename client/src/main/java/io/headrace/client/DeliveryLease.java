package io.headrace.client;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.Locale;

/**
 * The lease under which a reader may deliver elements to its user. In a job that others may share,
 * the dispatcher declares a reader lost after two timeouts of silence and reassigns the records
 * that it had not reported as taken. So a reader stops delivering one timeout after it sent the
 * last answered request: it has stopped well before others get the same records.
 *
 * <p>The lease is unbounded until a dispatcher sets a timeout. Thread-safe.
 */
final class DeliveryLease {
  /** Renewals in a timeout. */
  private static final int RENEWALS = 4;

  private final Ticker ticker;
  private volatile Grant grant;

  /**
   * The last grant.
   *
   * @param askedNanos when its request was sent
   * @param nanos its duration; 0 if unbounded
   */
  private record Grant(long askedNanos, long nanos) {}

  DeliveryLease(Ticker ticker) {
    this.ticker = ticker;
    grant = new Grant(ticker.nanoTime(), 0);
  }

  /** The current time, to be passed to {@link #answered} for a request sent now. */
  long nanoTime() {
    return ticker.nanoTime();
  }

  /**
   * Renews the lease: the dispatcher has answered a request that was sent at {@code askedNanos}.
   *
   * @param timeoutMillis the dispatcher's timeout; 0 if the lease is unbounded
   */
  synchronized void answered(long askedNanos, long timeoutMillis) {
    if (askedNanos - grant.askedNanos >= 0) {
      grant = new Grant(askedNanos, Duration.ofMillis(timeoutMillis).toNanos());
    }
  }

  /** Whether the lease can lapse. */
  boolean isBounded() {
    return grant.nanos > 0;
  }

  /** Whether delivery must pause until the next answer. */
  boolean hasLapsed() {
    Grant last = grant;
    return last.nanos > 0 && silentNanos(last) >= last.nanos;
  }

  /** Whether the dispatcher may have declared the reader lost by now. */
  boolean hasLapsedTwice() {
    Grant last = grant;
    return last.nanos > 0 && silentNanos(last) >= 2 * last.nanos;
  }

  /**
   * Nanoseconds until the renewal is due, not positive if it is overdue. Only for a bounded lease.
   */
  long untilRenewalNanos() {
    Grant last = grant;
    return last.nanos / RENEWALS - silentNanos(last);
  }

  /** The nanoseconds that an attempt to renew, or a pause between two, may take. */
  long attemptNanos() {
    return Math.max(1, grant.nanos / RENEWALS);
  }

  /** A phrase that says for how long there was no answer. */
  @Override
  public String toString() {
    Grant last = grant;
    return String.format(
        Locale.ROOT,
        "the dispatcher has not answered it for %.1f s (client_timeout_ms is %d)",
        silentNanos(last) / 1e9,
        Duration.ofNanos(last.nanos).toMillis());
  }

  private long silentNanos(Grant last) {
    return ticker.nanoTime() - last.askedNanos;
  }
}

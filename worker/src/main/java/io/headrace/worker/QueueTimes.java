package io.headrace.worker;

import io.headrace.proto.headrace.BufferSums;
import java.util.concurrent.TimeUnit;

/**
 * The rows that a {@link RowQueue} has handed out, and how long its readers and its producer
 * waited. Guarded by the queue's lock.
 */
final class QueueTimes {
  /** A reader that found nothing and does not wait is believed to want rows for this long. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long rows;
  private long bytes;
  private long emptyNanos;
  private long withheldNanos;
  private long fullNanos;
  private boolean hungry;
  private boolean withheld;
  private long hungrySinceNanos;
  private long askedNanos;
  private boolean full;
  private long fullSinceNanos;

  /** Rows were handed out. */
  void handedOut(int more, long moreBytes) {
    rows += more;
    bytes += moreBytes;
  }

  /**
   * A reader has found no row.
   *
   * @param isWithheld there are rows, which were not announced yet
   */
  void foundNothing(boolean isWithheld, long nowNanos) {
    if (hungry && isWithheld != withheld) {
      found(nowNanos);
    }
    if (!hungry) {
      hungry = true;
      withheld = isWithheld;
      hungrySinceNanos = nowNanos;
    }
    askedNanos = nowNanos;
  }

  /** A reader has found a row, or no reader waits any more. */
  void found(long nowNanos) {
    if (hungry) {
      long since = Math.max(0, nowNanos - hungrySinceNanos);
      emptyNanos += withheld ? 0 : since;
      withheldNanos += withheld ? since : 0;
      hungry = false;
    }
  }

  /** The producer begins to wait for room. */
  void producerWaits(long nowNanos) {
    full = true;
    fullSinceNanos = nowNanos;
  }

  /** Whether the producer waits for room. */
  boolean producerIsWaiting() {
    return full;
  }

  /** The producer has room, or stops. */
  void producerGoesOn(long nowNanos) {
    if (full) {
      fullNanos += nowNanos - fullSinceNanos;
      full = false;
    }
  }

  /**
   * The sums until now.
   *
   * @param readersWait whether readers wait in the queue
   */
  BufferSums.Builder sums(boolean readersWait, long nowNanos) {
    if (hungry && !readersWait && nowNanos - askedNanos > PATIENCE_NANOS) {
      found(askedNanos + PATIENCE_NANOS);
    }
    long waiting = hungry ? nowNanos - hungrySinceNanos : 0;
    return BufferSums.newBuilder()
        .setRows(rows)
        .setBytes(bytes)
        .setEmptyMicros(micros(emptyNanos + (withheld ? 0 : waiting)))
        .setWithheldMicros(micros(withheldNanos + (withheld ? waiting : 0)))
        .setFullMicros(micros(fullNanos + (full ? nowNanos - fullSinceNanos : 0)));
  }

  private static long micros(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }
}

package io.headrace.rpc;

import io.grpc.netty.shaded.io.netty.channel.SelectStrategy;
import io.grpc.netty.shaded.io.netty.util.IntSupplier;
import io.headrace.runtime.time.Ticker;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has an event loop look for what comes next for a moment before it sleeps, if what it waited for
 * last came as soon. A peer that sends a request when it has the answer to its last one, as stock
 * clients do, else waits each time until the loop's thread has woken up; docs/performance.md has
 * the measurements. Of all loops of one kind one looks at a time, so that no more than one
 * processor is kept from others. Used by its loop's thread only.
 */
final class ShortWaits implements SelectStrategy {
  /** About twice as long as a stock client on a machine of its own takes. */
  static final long LONGEST_NANOS = 200_000;

  private final Ticker ticker;
  private final AtomicBoolean taken;
  private boolean looking;
  private long begun;

  /**
   * @param ticker the time
   * @param taken whether a loop of the kind looks
   */
  ShortWaits(Ticker ticker, AtomicBoolean taken) {
    this.ticker = ticker;
    this.taken = taken;
    this.begun = ticker.nanoTime() - LONGEST_NANOS;
  }

  @Override
  public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
    if (!looking) {
      if (hasTasks) {
        return selectNow.get();
      }
      looking = begin();
      if (!looking) {
        return SELECT;
      }
    }
    int ready = selectNow.get();
    if (ready > 0 || hasTasks) {
      stop();
      return ready;
    }
    if (ticker.nanoTime() - begun < LONGEST_NANOS) {
      Thread.onSpinWait();
      return CONTINUE;
    }
    stop();
    return SELECT;
  }

  /** A wait begins; says whether it may be short, as the last one was. */
  private boolean begin() {
    long now = ticker.nanoTime();
    boolean wasShort = now - begun < LONGEST_NANOS;
    begun = now;
    return wasShort && taken.compareAndSet(false, true);
  }

  private void stop() {
    looking = false;
    taken.set(false);
  }
}

package io.headrace.rpc;

import io.grpc.netty.shaded.io.netty.channel.SelectStrategy;
import io.grpc.netty.shaded.io.netty.util.IntSupplier;
import io.headrace.runtime.time.Ticker;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A select strategy with busy polling: before an event loop sleeps, it polls for events for up to
 * {@link #LONGEST_NANOS}, if its last wait was that short. A peer that sends each request after the
 * reply to the previous one, as stock clients do, otherwise waits every time until the loop's
 * thread wakes up; docs/performance.md has the measurements. At most one loop of a group polls at a
 * time, so that polling occupies at most one processor. Used by its loop's thread only.
 */
final class BusyPollStrategy implements SelectStrategy {
  /**
   * The longest poll: about twice the time that a stock client on an idle machine takes between a
   * reply and its next request.
   */
  static final long LONGEST_NANOS = 200_000;

  private final Ticker ticker;
  private final AtomicBoolean pollerActive;
  private boolean polling;
  private long waitStart;

  /**
   * @param ticker measures the waits
   * @param pollerActive whether a loop of the group is polling
   */
  BusyPollStrategy(Ticker ticker, AtomicBoolean pollerActive) {
    this.ticker = ticker;
    this.pollerActive = pollerActive;
    this.waitStart = ticker.nanoTime() - LONGEST_NANOS;
  }

  @Override
  public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
    if (!polling) {
      if (hasTasks) {
        return selectNow.get();
      }
      polling = begin();
      if (!polling) {
        return SELECT;
      }
    }
    int ready = selectNow.get();
    if (ready > 0 || hasTasks) {
      stop();
      return ready;
    }
    if (ticker.nanoTime() - waitStart < LONGEST_NANOS) {
      Thread.onSpinWait();
      return CONTINUE;
    }
    stop();
    return SELECT;
  }

  /**
   * Starts a wait.
   *
   * @return whether to poll: the last wait was short and no other loop polls
   */
  private boolean begin() {
    long now = ticker.nanoTime();
    boolean wasShort = now - waitStart < LONGEST_NANOS;
    waitStart = now;
    return wasShort && pollerActive.compareAndSet(false, true);
  }

  private void stop() {
    polling = false;
    pollerActive.set(false);
  }
}

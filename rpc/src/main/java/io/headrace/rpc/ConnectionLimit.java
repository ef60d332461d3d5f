package io.headrace.rpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Bounds the open connections of each peer's address, so that one host cannot take all the file
 * descriptors of a server. Refusals are logged, once a minute for each address. Thread-safe.
 */
final class ConnectionLimit {
  private static final Logger LOGGER = System.getLogger(ConnectionLimit.class.getName());
  private static final Duration LOG_PERIOD = Duration.ofMinutes(1);

  private final int perAddress;
  private final Ticker ticker;

  @GuardedBy("this")
  private final Map<InetAddress, Peers> peers = new HashMap<>();

  /**
   * @param perAddress the most connections of an address
   * @param ticker measures the time between log lines
   */
  ConnectionLimit(int perAddress, Ticker ticker) {
    this.perAddress = perAddress;
    this.ticker = ticker;
  }

  void start(ScheduledExecutorService sweeper) {
    long period = LOG_PERIOD.toNanos();
    var _ = sweeper.scheduleWithFixedDelay(this::sweep, period, period, NANOSECONDS);
  }

  /**
   * Counts a new connection from {@code address} as open, until it is {@linkplain #release
   * released}; or returns false, if it must be refused.
   */
  boolean admit(InetAddress address) {
    long refused;
    synchronized (this) {
      Peers there = peers.computeIfAbsent(address, _ -> new Peers());
      if (there.open < perAddress) {
        there.open++;
        return true;
      }
      there.refused++;
      long now = ticker.nanoTime();
      if (there.isLoggedLately(now)) {
        return false;
      }
      refused = there.refused;
      there.refused = 0;
      there.logged = true;
      there.loggedNanos = now;
    }
    LOGGER.log(
        Level.WARNING,
        "refused {0} connections from {1}: it has {2} open, the most that an address may have",
        refused,
        address.getHostAddress(),
        perAddress);
    return false;
  }

  /** Counts an admitted connection as closed. */
  synchronized void release(InetAddress address) {
    Peers there = peers.get(address);
    if (there != null) {
      there.open--;
      if (there.isForgettable(ticker.nanoTime())) {
        peers.remove(address);
      }
    }
  }

  /** Forgets addresses without connections. */
  synchronized void sweep() {
    long now = ticker.nanoTime();
    peers.values().removeIf(there -> there.isForgettable(now));
  }

  /** The number of addresses that it knows. */
  synchronized int size() {
    return peers.size();
  }

  /** The connections of an address. */
  private static final class Peers {
    int open;
    long refused;
    boolean logged;
    long loggedNanos;

    boolean isLoggedLately(long nowNanos) {
      return logged && nowNanos - loggedNanos < LOG_PERIOD.toNanos();
    }

    boolean isForgettable(long nowNanos) {
      return open == 0 && !isLoggedLately(nowNanos);
    }
  }
}

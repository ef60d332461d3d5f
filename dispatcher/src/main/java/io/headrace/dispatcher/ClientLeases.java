package io.headrace.dispatcher;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * When each iteration client was last heard of: a part of {@link SoftState}. A client that watches
 * its iteration is heard of all the time. One that never said anything yet gets a day: stock
 * clients begin their heartbeats with the first element that they are asked for.
 *
 * <p>A reader of what is read exactly once has twice the time: others are given its part only long
 * after it has stopped by itself, for want of an answer.
 */
final class ClientLeases {
  static final Duration UNTIL_FIRST_HEARTBEAT = Duration.ofDays(1);

  private final Map<Long, Lease> byClient = new HashMap<>();

  private static final class Lease {
    private long heardNanos;
    private boolean spoke;
    private boolean watching;
    private final boolean exactly;

    Lease(boolean spoke, boolean exactly) {
      this.spoke = spoke;
      this.exactly = exactly;
    }

    Duration allowed(Duration timeout) {
      return !spoke ? UNTIL_FIRST_HEARTBEAT : exactly ? timeout.multipliedBy(2) : timeout;
    }
  }

  /**
   * Forgets all but {@code clients}, and gives each a full time-out. One that is new may have
   * spoken to whoever was here before.
   *
   * @param exactly which of them read exactly once
   */
  void beginAnew(Set<Long> clients, LongPredicate exactly, long nowNanos) {
    byClient.keySet().retainAll(clients);
    for (long client : clients) {
      byClient.computeIfAbsent(client, _ -> new Lease(true, exactly.test(client))).heardNanos =
          nowNanos;
    }
  }

  /**
   * A client is there.
   *
   * @param exactly it reads exactly once, so it begins to watch as soon as it has its place: if it
   *     does not, its reply was lost, and nobody has that place
   */
  void acquired(long client, boolean exactly, long nowNanos) {
    byClient.computeIfAbsent(client, _ -> new Lease(exactly, exactly)).heardNanos = nowNanos;
  }

  void heard(long client, long nowNanos) {
    @Nullable Lease lease = byClient.get(client);
    if (lease != null) {
      lease.heardNanos = nowNanos;
      lease.spoke = true;
    }
  }

  void watching(long client, boolean watching, long nowNanos) {
    @Nullable Lease lease = byClient.get(client);
    if (lease != null) {
      lease.heardNanos = nowNanos;
      lease.spoke = true;
      lease.watching = watching;
    }
  }

  void released(long client) {
    byClient.remove(client);
  }

  /** The clients that have not been heard of for {@code timeout}, or for twice that. */
  List<Long> expired(Duration timeout, long nowNanos) {
    List<Long> expired = new ArrayList<>();
    byClient.forEach((client, lease) -> {
      if (!lease.watching && nowNanos - lease.heardNanos > lease.allowed(timeout).toNanos()) {
        expired.add(client);
      }
    });
    return expired;
  }
}

package io.headrace.dispatcher;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When each iteration client was last heard of: a part of {@link SoftState}. A client that watches
 * its iteration is heard of all the time. One that never said anything yet gets a day: stock
 * clients begin their heartbeats with the first element that they are asked for.
 */
final class ClientLeases {
  static final Duration UNTIL_FIRST_HEARTBEAT = Duration.ofDays(1);

  private final Map<Long, Lease> byClient = new HashMap<>();

  private static final class Lease {
    private long heardNanos;
    private boolean spoke;
    private boolean watching;

    Lease(boolean spoke) {
      this.spoke = spoke;
    }
  }

  /**
   * Forgets all but {@code clients}, and gives each a full time-out. One that is new may have
   * spoken to whoever was here before.
   */
  void beginAnew(Set<Long> clients, long nowNanos) {
    byClient.keySet().retainAll(clients);
    for (long client : clients) {
      byClient.computeIfAbsent(client, _ -> new Lease(true)).heardNanos = nowNanos;
    }
  }

  /**
   * A client is there.
   *
   * @param watchesAtOnce it is one that begins to watch as soon as it has its place: if it does
   *     not, its reply was lost, and nobody has that place
   */
  void acquired(long client, boolean watchesAtOnce, long nowNanos) {
    byClient.computeIfAbsent(client, _ -> new Lease(watchesAtOnce)).heardNanos = nowNanos;
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

  /** The clients that have not been heard of for {@code timeout}. */
  List<Long> expired(Duration timeout, long nowNanos) {
    List<Long> expired = new ArrayList<>();
    byClient.forEach((client, lease) -> {
      Duration allowed = lease.spoke ? timeout : UNTIL_FIRST_HEARTBEAT;
      if (!lease.watching && nowNanos - lease.heardNanos > allowed.toNanos()) {
        expired.add(client);
      }
    });
    return expired;
  }
}

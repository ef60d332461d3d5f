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

    Lease(long nowNanos) {
      heardNanos = nowNanos;
    }
  }

  /** Forgets all but {@code clients}, and gives those that are new a full time-out. */
  void reconcile(Set<Long> clients, long nowNanos) {
    byClient.keySet().retainAll(clients);
    for (long client : clients) {
      byClient.computeIfAbsent(client, _ -> new Lease(nowNanos)).spoke = true;
    }
  }

  void acquired(long client, long nowNanos) {
    byClient.put(client, new Lease(nowNanos));
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

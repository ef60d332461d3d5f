package io.headrace.dispatcher;

import io.headrace.dispatcher.statistics.ReadingInterval;
import io.headrace.dispatcher.statistics.RecentReports;
import io.headrace.proto.headrace.PeerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The leases of iteration clients: when each was last heard of. A part of {@link SoftState}. An
 * open watch renews the lease continuously. A client that has never been heard of gets a day, as
 * stock clients send their first heartbeat only when the first element is requested.
 *
 * <p>A reader with the guarantee exactly once gets twice the timeout, because its share goes to
 * other readers: the reader stops delivering by itself after one timeout without an answer.
 */
final class ClientLeases {
  static final Duration UNTIL_FIRST_HEARTBEAT = Duration.ofDays(1);

  /**
   * Added to the timeout of a stock client after the dispatcher was away. Its channel tries to
   * connect again after at most 120 s and a fifth (gRPC's back-off), and its call 10 s later.
   */
  static final Duration STOCK_BACK_OFF = Duration.ofSeconds(154);

  private final Map<Long, Lease> byClient = new HashMap<>();

  /**
   * A client as operators see it.
   *
   * @param kind whose client it is, as far as its calls have told
   * @param host the host of its last call; empty before the first
   * @param silence the time since it was last heard of
   * @param watches it has an open watch
   * @param hasSpoken it has called since it joined, or since the dispatcher's start
   * @param reading its last report of its progress
   */
  record Sight(
      PeerKind kind,
      String host,
      Duration silence,
      boolean watches,
      boolean hasSpoken,
      Optional<Reading> reading) {}

  /** A reader's progress: elements returned to its user, who waited {@code waitMillis} for them. */
  record Reading(long elements, long waitMillis) {}

  private static final class Lease {
    private long heardNanos;
    private boolean spoke;
    private boolean watching;
    private boolean heardSinceRestart = true;
    private long round = -1;
    private PeerKind kind = PeerKind.PEER_KIND_UNSPECIFIED;
    private String host = "";
    private Optional<RecentReports<Reading>> readings = Optional.empty();
    private final boolean exactly;

    Lease(boolean spoke, boolean exactly) {
      this.spoke = spoke;
      this.exactly = exactly;
    }

    Duration allowed(Duration timeout) {
      if (!spoke) {
        return UNTIL_FIRST_HEARTBEAT;
      }
      if (exactly) {
        return timeout.multipliedBy(2);
      }
      return heardSinceRestart ? timeout : timeout.plus(STOCK_BACK_OFF);
    }

    boolean hasExpired(Duration timeout, long nowNanos) {
      return !watching && nowNanos - heardNanos > allowed(timeout).toNanos();
    }

    void heard(long nowNanos) {
      heardNanos = nowNanos;
      spoke = true;
      heardSinceRestart = true;
    }

    void restart(long nowNanos) {
      heardNanos = nowNanos;
      heardSinceRestart = false;
    }
  }

  /**
   * Drops the leases of all but {@code clients}, and renews theirs, with a stock channel's back-off
   * on top. A new client may have spoken to the predecessor of this dispatcher process, so it gets
   * no extra day.
   *
   * @param clients the present clients
   * @param exactly whether a client reads exactly once
   * @param nowNanos the present time
   */
  void restart(Set<Long> clients, LongPredicate exactly, long nowNanos) {
    byClient.keySet().retainAll(clients);
    for (long client : clients) {
      byClient
          .computeIfAbsent(client, _ -> new Lease(true, exactly.test(client)))
          .restart(nowNanos);
    }
  }

  /**
   * Begins a lease.
   *
   * @param client the client
   * @param exactly the client reads exactly once, so it begins to watch immediately; if it does
   *     not, it never got the reply
   * @param nowNanos the present time
   */
  void acquired(long client, boolean exactly, long nowNanos) {
    byClient.computeIfAbsent(client, _ -> new Lease(exactly, exactly)).heardNanos = nowNanos;
  }

  void heard(long client, long nowNanos) {
    @Nullable Lease lease = byClient.get(client);
    if (lease != null) {
      lease.heard(nowNanos);
    }
  }

  void watching(long client, boolean watching, long nowNanos) {
    @Nullable Lease lease = byClient.get(client);
    if (lease != null) {
      lease.heard(nowNanos);
      lease.watching = watching;
    }
  }

  /** Notes the round that a consumer of a coordinated read has reached, as it says. */
  void inRound(long client, long round) {
    @Nullable Lease lease = byClient.get(client);
    if (lease != null) {
      lease.round = round;
    }
  }

  /**
   * The furthest round that one of {@code clients} has reached since the restart; -1 if unknown.
   */
  long furthestRound(Set<Long> clients) {
    long furthest = -1;
    for (long client : clients) {
      @Nullable Lease lease = byClient.get(client);
      furthest = Math.max(furthest, lease == null ? -1 : lease.round);
    }
    return furthest;
  }

  /** Notes the host of a client's last call, and whose client makes such calls. */
  void calledFrom(long client, String host, PeerKind kind) {
    @Nullable Lease lease = byClient.get(client);
    if (lease != null) {
      lease.host = host;
      lease.kind = kind;
    }
  }

  /** A client's lease, as operators see it. */
  Optional<Sight> sight(long client, long nowNanos) {
    @Nullable Lease lease = byClient.get(client);
    return lease == null
        ? Optional.empty()
        : Optional.of(
            new Sight(
                lease.kind,
                lease.host,
                lease.watching ? Duration.ZERO : Duration.ofNanos(nowNanos - lease.heardNanos),
                lease.watching,
                lease.kind != PeerKind.PEER_KIND_UNSPECIFIED && lease.heardSinceRestart,
                lease.readings.map(RecentReports::last)));
  }

  /** A client's last reports of its progress. */
  Optional<RecentReports<Reading>> readings(long client) {
    return Optional.ofNullable(byClient.get(client)).flatMap(lease -> lease.readings);
  }

  /** Notes a client's progress; returns what it did since its last report. */
  ReadingInterval read(long client, Reading now, long nowNanos) {
    @Nullable Lease lease = byClient.get(client);
    if (lease == null) {
      return new ReadingInterval(nowNanos, nowNanos, 0, 0);
    }
    Reading before = lease.readings.map(RecentReports::last).orElse(new Reading(0, 0));
    long beforeNanos = lease.readings.map(RecentReports::lastNanos).orElse(nowNanos);
    lease.readings =
        Optional.of(
            lease
                .readings
                .map(of -> of.and(now, nowNanos))
                .orElseGet(() -> RecentReports.begin(now, nowNanos)));
    return new ReadingInterval(
        beforeNanos,
        nowNanos,
        Math.max(0, now.elements() - before.elements()),
        Math.max(0, now.waitMillis() - before.waitMillis()));
  }

  void released(long client) {
    byClient.remove(client);
  }

  /** The clients whose lease has expired, by {@code timeout} or twice that. */
  List<Long> expired(Duration timeout, long nowNanos) {
    List<Long> expired = new ArrayList<>();
    byClient.forEach((client, lease) -> {
      if (lease.hasExpired(timeout, nowNanos)) {
        expired.add(client);
      }
    });
    return expired;
  }

  /** Whether the lease of {@code client} has expired. */
  boolean hasExpired(long client, Duration timeout, long nowNanos) {
    @Nullable Lease lease = byClient.get(client);
    return lease != null && lease.hasExpired(timeout, nowNanos);
  }
}

package io.headrace.dispatcher;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The liveness of workers: a part of {@link SoftState}. A worker is lost once it has refused three
 * probes in a row or been silent for ten seconds, and alive again once it answers.
 */
final class WorkerLiveness {
  static final int REFUSALS = 3;
  static final Duration SILENCE = Duration.ofSeconds(10);

  private final Map<String, Vitals> byAddress = new HashMap<>();
  private final NavigableSet<String> alive = new TreeSet<>();
  private final SortedSet<String> lost = new TreeSet<>();
  private long lastTickNanos;
  private boolean ticked;

  private static final class Vitals {
    private int refusals;
    private long silentNanos;
    private boolean probed;
    private long lastProbe;
    private long lastHeartbeatNanos;
  }

  /**
   * A probe of a worker.
   *
   * @param address the worker
   * @param number increases with each probe of the worker
   */
  record Probe(String address, long number) {}

  /**
   * Forgets all but the workers at {@code addresses}; new ones count as alive. Open probes count as
   * closed, as their outcome may have been lost.
   */
  void restart(Set<String> addresses) {
    byAddress.keySet().retainAll(addresses);
    alive.retainAll(addresses);
    lost.retainAll(addresses);
    addresses.forEach(this::registered);
    byAddress.values().forEach(vitals -> vitals.probed = false);
  }

  /** Adds a worker, which counts as alive if it is new. */
  void registered(String address) {
    if (!byAddress.containsKey(address)) {
      byAddress.put(address, newVitals());
      alive.add(address);
    }
  }

  private Vitals newVitals() {
    Vitals vitals = new Vitals();
    vitals.lastHeartbeatNanos = lastTickNanos;
    return vitals;
  }

  /** Notes a heartbeat, which a process of the worker itself has sent. */
  void beats(String address, long nowNanos) {
    @Nullable Vitals vitals = byAddress.get(address);
    if (vitals != null) {
      vitals.lastHeartbeatNanos = nowNanos;
    }
  }

  /** The nanoseconds since the last heartbeat of a worker, or since it became known. */
  long sinceHeartbeat(String address, long nowNanos) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals == null ? 0 : nowNanos - vitals.lastHeartbeatNanos;
  }

  /** Whether a worker is lost; false for unknown workers. */
  boolean isLost(String address) {
    return lost.contains(address);
  }

  boolean isAlive(String address) {
    return alive.contains(address);
  }

  /** The live workers in ascending cyclic order from the one after {@code address}. */
  Stream<String> aliveAfter(String address) {
    return Stream.concat(
        alive.tailSet(address, false).stream(), alive.headSet(address, true).stream());
  }

  /** How long the worker has been silent. */
  Duration silence(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals == null ? Duration.ZERO : Duration.ofNanos(vitals.silentNanos);
  }

  /** Notes an answer; returns whether the worker was lost before. */
  boolean answered(String address) {
    Vitals vitals = byAddress.computeIfAbsent(address, _ -> newVitals());
    vitals.refusals = 0;
    vitals.silentNanos = 0;
    vitals.probed = false;
    alive.add(address);
    return lost.remove(address);
  }

  /** Notes an unsolicited message, which ends a silence but does not reset the refusals. */
  void heard(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    if (vitals != null && !lost.contains(address)) {
      vitals.silentNanos = 0;
    }
  }

  /** Notes a failed probe; returns whether the worker became lost. */
  boolean unanswered(String address, boolean refused) {
    @Nullable Vitals vitals = byAddress.get(address);
    if (vitals == null) {
      return false;
    }
    vitals.probed = false;
    vitals.refusals += refused ? 1 : 0;
    return vitals.refusals >= REFUSALS && lose(address);
  }

  /** Marks a worker lost; returns whether it was alive. */
  private boolean lose(String address) {
    alive.remove(address);
    return lost.add(address);
  }

  /** Advances the time; returns the workers that became lost by silence. */
  List<String> tick(long nowNanos) {
    long step = ticked ? nowNanos - lastTickNanos : 0;
    lastTickNanos = nowNanos;
    ticked = true;
    List<String> lostNow = new ArrayList<>();
    byAddress.forEach((address, vitals) -> {
      vitals.silentNanos += step;
      if (vitals.silentNanos >= SILENCE.toNanos() && lose(address)) {
        lostNow.add(address);
      }
    });
    return lostNow;
  }

  /** Opens a probe of each worker that has none open. */
  List<Probe> openProbes() {
    List<Probe> probes = new ArrayList<>();
    byAddress.forEach((address, vitals) -> {
      if (!vitals.probed) {
        vitals.probed = true;
        probes.add(new Probe(address, ++vitals.lastProbe));
      }
    });
    return probes;
  }

  /** The number of the last probe of a worker; 0 if there was none. */
  long lastProbe(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals == null ? 0 : vitals.lastProbe;
  }

  /** The lost workers, by address. */
  Collection<String> lost() {
    return Collections.unmodifiableCollection(lost);
  }

  void forget(String address) {
    byAddress.remove(address);
    alive.remove(address);
    lost.remove(address);
  }
}

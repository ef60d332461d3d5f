package io.headrace.dispatcher;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The liveness of workers: a part of {@link SoftState}. A worker is lost once it has refused three
 * probes in a row or been silent for ten seconds, and alive again once it answers. A process that
 * has left in order counts as lost from then on, whatever still answers at its address.
 */
final class WorkerLiveness {
  static final int REFUSALS = 3;
  static final Duration SILENCE = Duration.ofSeconds(10);

  private final Map<String, Vitals> byAddress = new HashMap<>();
  private final NavigableSet<String> alive = new TreeSet<>();
  private final SortedSet<String> lost = new TreeSet<>();

  /** Workers of an earlier life of the dispatcher that have not spoken to this one. */
  private final Set<String> unheard = new HashSet<>();

  /** The incarnations that left in order and stay registered, as their tasks wait. */
  private final Map<String, Long> left = new HashMap<>();

  private long lastTickNanos;
  private boolean ticked;

  private static final class Vitals {
    private int refusals;
    private long silentNanos;
    private boolean probed;
    private long lastProbe;
    private long lastHeartbeatNanos;

    /** Whether a process is registered; if not, one is about to be. */
    private boolean registered;

    private long incarnation;
  }

  /**
   * A probe of a worker.
   *
   * @param address the worker
   * @param number increases with each probe of the worker
   */
  record Probe(String address, long number) {}

  /**
   * Forgets all but {@code workers}, incarnations by address; new ones count as alive. Open probes
   * count as closed, as their outcome may have been lost.
   */
  void restart(Map<String, Long> workers) {
    Set<String> addresses = workers.keySet();
    byAddress.keySet().retainAll(addresses);
    alive.retainAll(addresses);
    lost.retainAll(addresses);
    unheard.retainAll(addresses);
    left.keySet().retainAll(addresses);
    workers.forEach(this::registered);
    byAddress.values().forEach(vitals -> vitals.probed = false);
  }

  /** Marks all workers, which an earlier life of the dispatcher knew, as not heard of yet. */
  void begin() {
    unheard.addAll(byAddress.keySet());
  }

  /** Adds a process of a worker; a new worker counts as alive. */
  void registered(String address, long incarnation) {
    @Nullable Vitals vitals = byAddress.get(address);
    if (vitals == null) {
      vitals = newVitals();
      byAddress.put(address, vitals);
      alive.add(address);
    }
    vitals.incarnation = incarnation;
    vitals.registered = true;
    if (!hasLeft(address, incarnation)) {
      left.remove(address);
    }
  }

  /** The process that is registered at {@code address}; empty if none is. */
  OptionalLong incarnation(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals == null || !vitals.registered
        ? OptionalLong.empty()
        : OptionalLong.of(vitals.incarnation);
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

  /** Whether the worker has not spoken to this dispatcher since it started. */
  boolean isUnheard(String address) {
    return unheard.contains(address);
  }

  /**
   * Notes that a worker's process has said that it leaves, so that it no longer counts as alive.
   */
  void leave(String address, long incarnation) {
    left.put(address, incarnation);
    unheard.remove(address);
    var _ = lose(address);
  }

  /** Whether the last registered process of a worker has left in order. */
  boolean hasLeft(String address) {
    return left.containsKey(address);
  }

  /** Whether the process {@code incarnation} of a worker has left in order. */
  boolean hasLeft(String address, long incarnation) {
    @Nullable Long gone = left.get(address);
    return gone != null && gone == incarnation;
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
    unheard.remove(address);
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
      unheard.remove(address);
    }
  }

  /** Notes that a probe has ended without a meaning. */
  void closeProbe(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    if (vitals != null) {
      vitals.probed = false;
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
    unheard.remove(address);
    left.remove(address);
  }
}

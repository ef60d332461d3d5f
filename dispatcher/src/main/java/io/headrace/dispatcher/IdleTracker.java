package io.headrace.dispatcher;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The time since which each thing has been idle, by id: a part of {@link SoftState}. */
final class IdleTracker<K extends Comparable<K>> {
  private final Map<K, Long> sinceNanos = new HashMap<>();

  void retain(Predicate<K> ids) {
    sinceNanos.keySet().removeIf(id -> !ids.test(id));
  }

  /** Restarts the idle time of every idle thing. */
  void restart(long nowNanos) {
    sinceNanos.replaceAll((_, _) -> nowNanos);
  }

  /** Marks {@code id} idle; an id that is already idle keeps its time. */
  void idle(K id, long nowNanos) {
    sinceNanos.putIfAbsent(id, nowNanos);
  }

  void busy(K id) {
    sinceNanos.remove(id);
  }

  /** The number of idle things. */
  int size() {
    return sinceNanos.size();
  }

  /** The ids that have been idle for {@code timeout}, longest idle first. */
  List<K> longestIdleFor(Duration timeout, long nowNanos) {
    return idleFor(timeout, nowNanos).stream()
        .sorted(Comparator.comparingLong(id -> sinceNanos.getOrDefault(id, nowNanos) - nowNanos))
        .toList();
  }

  /** The ids that have been idle for {@code timeout}, in ascending order. */
  List<K> idleFor(Duration timeout, long nowNanos) {
    return sinceNanos.entrySet().stream()
        .filter(entry -> nowNanos - entry.getValue() >= timeout.toNanos())
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }
}

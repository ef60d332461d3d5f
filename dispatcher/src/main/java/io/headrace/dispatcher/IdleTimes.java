package io.headrace.dispatcher;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Since when things have been idle, by their ids: a part of {@link SoftState}. */
final class IdleTimes<K extends Comparable<K>> {
  private final Map<K, Long> sinceNanos = new HashMap<>();

  void retain(Predicate<K> ids) {
    sinceNanos.keySet().removeIf(id -> !ids.test(id));
  }

  /** What is idle is so from now on. */
  void beginAnew(long nowNanos) {
    sinceNanos.replaceAll((_, _) -> nowNanos);
  }

  /** {@code id} is idle, from now on if it was not before. */
  void idle(K id, long nowNanos) {
    sinceNanos.putIfAbsent(id, nowNanos);
  }

  void busy(K id) {
    sinceNanos.remove(id);
  }

  /** How many are idle. */
  int size() {
    return sinceNanos.size();
  }

  /** The ids that have been idle for {@code timeout}, those first that were so for the longest. */
  List<K> longestIdleFor(Duration timeout, long nowNanos) {
    return idleFor(timeout, nowNanos).stream()
        .sorted(Comparator.comparingLong(id -> sinceNanos.getOrDefault(id, nowNanos) - nowNanos))
        .toList();
  }

  /** The ids that have been idle for {@code timeout}, in their order. */
  List<K> idleFor(Duration timeout, long nowNanos) {
    return sinceNanos.entrySet().stream()
        .filter(entry -> nowNanos - entry.getValue() >= timeout.toNanos())
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }
}

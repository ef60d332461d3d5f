package io.headrace.dispatcher;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/** Since when things have been idle, by their ids: a part of {@link SoftState}. */
final class IdleTimes {
  private final Map<Long, Long> sinceNanos = new HashMap<>();

  void retain(LongPredicate ids) {
    sinceNanos.keySet().removeIf(id -> !ids.test(id));
  }

  /** {@code id} is idle, from now on if it was not before. */
  void idle(long id, long nowNanos) {
    sinceNanos.putIfAbsent(id, nowNanos);
  }

  void busy(long id) {
    sinceNanos.remove(id);
  }

  /** The ids that have been idle for {@code timeout}, in their order. */
  List<Long> idleFor(Duration timeout, long nowNanos) {
    return sinceNanos.entrySet().stream()
        .filter(entry -> nowNanos - entry.getValue() >= timeout.toNanos())
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }
}

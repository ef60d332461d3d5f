package io.headrace.dispatcher;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The successor relation of the readers of a {@link Simulation}. */
final class ReaderLineage {
  private final Map<Long, Set<Long>> followers = new HashMap<>();

  void follows(long reader, long before) {
    followers.computeIfAbsent(before, _ -> new HashSet<>()).add(reader);
  }

  /** Whether {@code reader} is {@code before} or a direct or indirect successor of it. */
  boolean isOf(long reader, long before) {
    Set<Long> seen = new HashSet<>(Set.of(before));
    Deque<Long> next = new ArrayDeque<>(seen);
    while (!next.isEmpty()) {
      long at = next.remove();
      if (at == reader) {
        return true;
      }
      followers.getOrDefault(at, Set.of()).stream().filter(seen::add).forEach(next::add);
    }
    return false;
  }
}

package io.headrace.client;

import io.headrace.runtime.origin.LongSet;
import java.util.Map;
import java.util.TreeMap;

/** A set of positions, stored as ranges: compact while positions are mostly consecutive. */
final class PositionSet {
  private final TreeMap<Long, Long> endByStart = new TreeMap<>();

  /** Adds {@code count} positions from {@code first} on. */
  void add(long first, int count) {
    long start = first;
    long end = first + count;
    Map.Entry<Long, Long> before = endByStart.floorEntry(start);
    if (before != null && before.getValue() >= start) {
      start = before.getKey();
      end = Math.max(end, before.getValue());
    }
    Map.Entry<Long, Long> after = endByStart.ceilingEntry(start);
    while (after != null && after.getKey() <= end) {
      end = Math.max(end, after.getValue());
      endByStart.remove(after.getKey());
      after = endByStart.ceilingEntry(start);
    }
    endByStart.put(start, end);
  }

  /** Adds all positions before {@code end}. */
  void addUpTo(long end) {
    Map.Entry<Long, Long> last = endByStart.floorEntry(end);
    long reached = last == null ? end : Math.max(end, last.getValue());
    endByStart.headMap(end, true).clear();
    endByStart.put(0L, reached);
  }

  /** Adds all of {@code positions}. */
  void addAll(LongSet positions) {
    positions.forEachRange((from, to) -> {
      for (long at = from; at < to; at += Integer.MAX_VALUE) {
        add(at, (int) Math.min(to - at, Integer.MAX_VALUE));
      }
    });
  }

  /** A copy as a {@link LongSet}. */
  LongSet toSet() {
    LongSet set = new LongSet();
    endByStart.forEach(set::addRange);
    return set;
  }

  void clear() {
    endByStart.clear();
  }

  /** The length of the run of members from {@code first} on, {@code count} at most. */
  int leading(long first, int count) {
    Map.Entry<Long, Long> at = endByStart.floorEntry(first);
    return at == null ? 0 : Math.clamp(at.getValue() - first, 0, count);
  }

  /** The length of the run of non-members from {@code first} on, {@code count} at most. */
  int leadingAbsent(long first, int count) {
    Long next = endByStart.ceilingKey(first);
    return next == null ? count : (int) Math.min(next - first, count);
  }
}

package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.tensor.Chunk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows that were under way to readers whose streams broke: whether they were consumed, only their
 * readers know. They wait until their reader comes back, or are given up; then the task is
 * incomplete, and the dispatcher finds out from the readers what is missing. Its queue's lock
 * guards it.
 */
final class HeldRows {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Map<Long, Held> byReader = new LinkedHashMap<>();
  private boolean givenUp;

  private static final class Held {
    private final List<StreamItem> rows = new ArrayList<>();
    private long sinceNanos;
  }

  /** Holds {@code rows} for {@code reader}, beside those that it has waiting. */
  void put(long reader, List<StreamItem> rows, long nowNanos) {
    if (!rows.isEmpty()) {
      Held held = byReader.computeIfAbsent(reader, _ -> new Held());
      held.rows.addAll(rows);
      held.sinceNanos = nowNanos;
    }
  }

  /** The rows that wait for {@code reader}, which wait no longer. */
  List<StreamItem> take(long reader) {
    Held held = byReader.remove(reader);
    return held == null ? List.of() : held.rows;
  }

  /** The rows that have waited for too long, which are given up. */
  List<StreamItem> expired(long nowNanos) {
    if (byReader.isEmpty()) {
      return List.of();
    }
    List<StreamItem> expired = new ArrayList<>();
    for (Iterator<Held> all = byReader.values().iterator(); all.hasNext(); ) {
      Held held = all.next();
      if (nowNanos - held.sinceNanos > PATIENCE.toNanos()) {
        expired.addAll(held.rows);
        all.remove();
        givenUp = true;
      }
    }
    return expired;
  }

  /** Whether rows were ever given up. */
  boolean hasGivenUp() {
    return givenUp;
  }

  /** What of {@code items} is at other positions than {@code consumed}. */
  static List<StreamItem> without(LongSet consumed, List<StreamItem> items) {
    List<StreamItem> left = new ArrayList<>();
    for (StreamItem item : items) {
      if (item instanceof StreamItem.Rows(Chunk chunk)) {
        addWithout(consumed, chunk, left);
      } else if (!consumed.contains(item.position())) {
        left.add(item);
      }
    }
    return left;
  }

  private static void addWithout(LongSet consumed, Chunk chunk, List<StreamItem> left) {
    int from = 0;
    while (from < chunk.rows()) {
      int to = from;
      boolean gone = consumed.contains(chunk.position() + from);
      while (to < chunk.rows() && consumed.contains(chunk.position() + to) == gone) {
        to++;
      }
      if (!gone) {
        left.add(new StreamItem.Rows(chunk.slice(from, to)));
      }
      from = to;
    }
  }
}

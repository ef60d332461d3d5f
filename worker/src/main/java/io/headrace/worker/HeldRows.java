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
 * Unacknowledged rows of broken streams: only their readers know whether they consumed them. They
 * are held until the reader returns, or expire; then the task is incomplete, and the dispatcher
 * asks the readers which records are missing. Guarded by the queue's lock.
 */
final class HeldRows {
  /** How long rows are held, and their reader is expected back. */
  static final Duration HOLD_TIMEOUT = Duration.ofSeconds(10);

  private final Map<Long, Held> byReader = new LinkedHashMap<>();
  private boolean hasExpired;

  private static final class Held {
    private final List<StreamItem> rows = new ArrayList<>();
    private long sinceNanos;
  }

  /** Holds {@code rows} for {@code reader}, in addition to those already held for it. */
  void put(long reader, List<StreamItem> rows, long nowNanos) {
    if (!rows.isEmpty()) {
      Held held = byReader.computeIfAbsent(reader, _ -> new Held());
      held.rows.addAll(rows);
      held.sinceNanos = nowNanos;
    }
  }

  /** Removes and returns the rows held for {@code reader}. */
  List<StreamItem> take(long reader) {
    Held held = byReader.remove(reader);
    return held == null ? List.of() : held.rows;
  }

  /** Removes and returns the rows that were held for too long. */
  List<StreamItem> expired(long nowNanos) {
    if (byReader.isEmpty()) {
      return List.of();
    }
    List<StreamItem> expired = new ArrayList<>();
    for (Iterator<Held> all = byReader.values().iterator(); all.hasNext(); ) {
      Held held = all.next();
      if (nowNanos - held.sinceNanos > HOLD_TIMEOUT.toNanos()) {
        expired.addAll(held.rows);
        all.remove();
        hasExpired = true;
      }
    }
    return expired;
  }

  /** Whether rows have ever expired. */
  boolean hasGivenUp() {
    return hasExpired;
  }

  /** {@code items} without the rows at positions in {@code consumed}. */
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

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The origins of rows in numbered slots: three longs for a row that is exactly one record. Rows
 * without origins take no space; one row without origins discards those of all. Not thread-safe.
 */
public final class OriginStore {
  private static final int WIDTH = 3;

  /** For each slot: source, group, record. */
  private long[] records = new long[0];

  /** The origins of rows that are more than one record; empty while there are none. */
  private @Nullable Origins[] others = new Origins[0];

  private boolean isUntold;
  private Origins current = Origins.NONE;

  /** The entry of {@link #current} that holds the row put last. */
  private int entry;

  /** Whether every row put so far had origins. */
  public boolean isTold() {
    return !isUntold;
  }

  /** Stores the origins of row {@code row} of {@code origins} in {@code slot}. */
  public void put(int slot, Origins origins, int row) {
    if (origins.isEmpty()) {
      isUntold = true;
    }
    if (isUntold) {
      return;
    }
    reserve(slot);
    find(origins, row);
    boolean isOneRecord =
        origins.count(entry) == origins.rows(entry) && !(hasParts(origins) && row == firstRow());
    if (isOneRecord) {
      int at = slot * WIDTH;
      records[at] = origins.source(entry);
      records[at + 1] = origins.group(entry);
      records[at + 2] = origins.record(entry) + (row - firstRow());
    } else {
      others = slot < others.length ? others : Arrays.copyOf(others, records.length / WIDTH);
      others[slot] = origins.slice(row, row + 1);
    }
  }

  private int firstRow() {
    return current.rowsTo(entry) - current.rows(entry);
  }

  private boolean hasParts(Origins origins) {
    return entry > 0 && origins.rows(entry - 1) == 0;
  }

  /** Finds the entry of a row; sequential access to one chunk continues at the last entry. */
  @SuppressWarnings("ReferenceEquality") // identifies the chunk of the last call
  private void find(Origins origins, int row) {
    if (origins != current || row < firstRow()) {
      current = origins;
      entry = 0;
    }
    while (origins.rowsTo(entry) <= row) {
      entry++;
    }
  }

  private void reserve(int slot) {
    if (slot >= records.length / WIDTH) {
      records = Arrays.copyOf(records, Math.multiplyExact(WIDTH, Math.max(16, 2 * slot)));
    }
  }

  /** Appends the origins in {@code slot} to {@code rows} and clears the slot. */
  public void moveTo(int slot, Origins.Builder rows) {
    if (isUntold) {
      return;
    }
    Origins other = slot < others.length ? others[slot] : null;
    if (other == null) {
      int at = slot * WIDTH;
      rows.addRecords(1, records[at], records[at + 1], records[at + 2]);
    } else {
      rows.addAll(other);
      others[slot] = null;
    }
  }
}

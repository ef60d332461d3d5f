package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The origins of rows in numbered slots: three numbers where a row is one record and nothing else.
 * Rows without origins cost nothing, and where some have none, none have. Not thread-safe.
 */
public final class OriginStore {
  private static final int WIDTH = 3;

  /** For each slot: source, group, record. */
  private long[] records = new long[0];

  /** Those of rows that are more than one record; empty while there are none. */
  private @Nullable Origins[] others = new Origins[0];

  private boolean isUntold;
  private Origins current = Origins.NONE;

  /** The entry of {@link #current} that the row put last is in. */
  private int entry;

  /** Whether it is told what rows were made of. */
  public boolean isTold() {
    return !isUntold;
  }

  /** Row {@code row} of {@code origins} is in {@code slot} now. */
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

  /** Rows of one chunk mostly come in order. */
  @SuppressWarnings("ReferenceEquality") // where to look on, in the origins of the same chunk
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

  /** The row in {@code slot} is the next of {@code rows}, and in the slot no more. */
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

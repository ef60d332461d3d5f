package io.headrace.runtime.origin;

import java.util.Arrays;

/**
 * The provenance of a chunk's rows: the source records of each row; {@link #NONE} without
 * accounting. Immutable.
 *
 * <p>Three numbers identify a record. Its <i>source</i> is a repetition of one of the dataset's
 * split sources: the number of the repetition, from 0, times the number of sources, plus the index
 * of the source. If a flat map produces records from each split, the record's <i>group</i> is the
 * number of the split, and <i>record</i> is its number within that split, before any shuffle.
 * Otherwise the splits are the records: the group is {@link #SPLITS}, and the record is the number
 * of the split.
 *
 * <p>Origins are a list of entries.
 *
 * <ul>
 *   <li>An entry with {@code rows >= 1} and {@code count == rows}: each row is one record, {@code
 *       record}, {@code record + 1}, and so on.
 *   <li>An entry with one row and another count: the row is made of {@code count} consecutive
 *       records.
 *   <li>An entry without rows belongs to the next row: records that were merged into it or dropped
 *       before it. With a count of 0 it is a group end: the group has {@code record} records in
 *       all. Trailing entries without rows are records dropped after the last row.
 * </ul>
 */
public final class Origins {
  /** The group of records that are splits. */
  public static final long SPLITS = -1;

  /** The origins of rows without accounting. */
  public static final Origins NONE = new Origins(new long[0]);

  private static final int WIDTH = 5;
  private static final int SOURCE = 1;
  private static final int GROUP = 2;
  private static final int RECORD = 3;
  private static final int COUNT = 4;

  private final long[] entries;

  /** The cumulative number of rows up to and including each entry. */
  private final int[] rowsTo;

  private Origins(long[] entries) {
    this.entries = entries;
    this.rowsTo = new int[entries.length / WIDTH];
    int total = 0;
    for (int i = 0; i < rowsTo.length; i++) {
      total += (int) entries[i * WIDTH];
      rowsTo[i] = total;
    }
  }

  /** Number of entries. */
  public int size() {
    return rowsTo.length;
  }

  /** Whether there are no entries. */
  public boolean isEmpty() {
    return rowsTo.length == 0;
  }

  /** The number of rows covered. */
  public int totalRows() {
    return rowsTo.length == 0 ? 0 : rowsTo[rowsTo.length - 1];
  }

  /** The rows of entry {@code index}. */
  public int rows(int index) {
    return (int) entries[index * WIDTH];
  }

  /** The cumulative number of rows up to and including entry {@code index}. */
  public int rowsTo(int index) {
    return rowsTo[index];
  }

  /** The source of entry {@code index}. */
  public long source(int index) {
    return entries[index * WIDTH + SOURCE];
  }

  /** The group of entry {@code index}. */
  public long group(int index) {
    return entries[index * WIDTH + GROUP];
  }

  /** The first record of entry {@code index}, or, for a group end, the size of the group. */
  public long record(int index) {
    return entries[index * WIDTH + RECORD];
  }

  /** The number of records of entry {@code index}. */
  public long count(int index) {
    return entries[index * WIDTH + COUNT];
  }

  /** Whether entry {@code index} is a group end. */
  public boolean isGroupEnd(int index) {
    return rows(index) == 0 && count(index) == 0;
  }

  /** The origins of the rows {@code from} up to {@code to}. */
  public Origins slice(int from, int to) {
    if (isEmpty() || (from == 0 && to == totalRows() && rows(size() - 1) > 0)) {
      return this;
    }
    return new Builder().addRows(this, from, to).build();
  }

  /** The origins of this chunk's rows followed by those of {@code next}. */
  public Origins concat(Origins next) {
    if (isEmpty() || next.isEmpty()) {
      return isEmpty() ? next : this;
    }
    return new Builder().addAll(this).addAll(next).build();
  }

  /** The origins of the first {@code count} of {@code indices}, in that order. */
  public Origins gather(int[] indices, int count) {
    if (isEmpty()) {
      return this;
    }
    Builder gathered = new Builder();
    for (int i = 0; i < count; i++) {
      gathered.addRows(this, indices[i], indices[i] + 1);
    }
    return gathered.build();
  }

  /** The entry that covers row {@code row}. */
  private int entryOf(int row) {
    int low = 0;
    int high = rowsTo.length - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rowsTo[middle] > row) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The first of the entries without rows that precede the row of entry {@code index}. */
  private int firstOf(int index) {
    int first = index;
    while (first > 0 && rows(first - 1) == 0) {
      first--;
    }
    return first;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Origins origins && Arrays.equals(entries, origins.entries);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(entries);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < size(); i++) {
      text.append(i == 0 ? "" : ", ");
      if (isGroupEnd(i)) {
        text.append("group %d/%d has %d".formatted(source(i), group(i), record(i)));
      } else {
        text.append(
            "%d rows of %d/%d/%d+%d".formatted(rows(i), source(i), group(i), record(i), count(i)));
      }
    }
    return text.append(']').toString();
  }

  /** Builds origins. Parts added before {@link #endRow} belong to the next row. Not thread-safe. */
  public static final class Builder {
    private long[] entries;
    private int size;

    /** An empty builder. */
    public Builder() {
      this(4);
    }

    /** An empty builder with an initial capacity of {@code entries} entries. */
    public Builder(int entries) {
      this.entries = new long[entries * WIDTH];
    }

    /** Adds rows that are consecutive records of one group. */
    public Builder addRecords(int rows, long source, long group, long record) {
      return add(rows, source, group, record, rows);
    }

    /** Adds consecutive records that are part of the next row, or were dropped before it. */
    public Builder addParts(long source, long group, long record, long count) {
      return count == 0 ? this : add(0, source, group, record, count);
    }

    /** Adds a group end: the group has {@code records} records in all. */
    public Builder addGroupEnd(long source, long group, long records) {
      return add(0, source, group, records, 0);
    }

    /** Adds the rows {@code from} up to {@code to} of {@code other}, as rows. */
    public Builder addRows(Origins other, int from, int to) {
      return addRange(other, from, to, true);
    }

    /**
     * Adds the records of the rows {@code from} up to {@code to} of {@code other}, as parts of the
     * next row.
     */
    public Builder addParts(Origins other, int from, int to) {
      return addRange(other, from, to, false);
    }

    /** Adds all of {@code other}, rows as rows. */
    public Builder addAll(Origins other) {
      for (int i = 0; i < other.size(); i++) {
        addEntry(other, i, true);
      }
      return this;
    }

    /** Adds all of {@code other}, as parts of the next row. */
    public Builder addAllParts(Origins other) {
      for (int i = 0; i < other.size(); i++) {
        addEntry(other, i, false);
      }
      return this;
    }

    private Builder addRange(Origins other, int from, int to, boolean asRows) {
      if (other.isEmpty() || from >= to) {
        return this;
      }
      int index = other.entryOf(from);
      int start = other.rowsTo[index] - other.rows(index);
      if (from == start) {
        for (int i = other.firstOf(index); i < index; i++) {
          addEntry(other, i, asRows);
        }
      }
      for (int row = from; row < to; index++) {
        int rows = other.rows(index);
        long count = other.count(index);
        if (rows != count) {
          addEntry(other, index, asRows);
          row += rows;
        } else if (rows > 0) {
          int at = row - (other.rowsTo[index] - rows);
          int taken = Math.min(rows - at, to - row);
          long record = other.record(index) + at;
          add(asRows ? taken : 0, other.source(index), other.group(index), record, taken);
          row += taken;
        } else {
          addEntry(other, index, asRows);
        }
      }
      return this;
    }

    /** Adds a whole entry, except a row without records that is added as a part. */
    private void addEntry(Origins other, int index, boolean asRow) {
      int rows = other.rows(index);
      long count = other.count(index);
      if (asRow || rows == 0 || count > 0) {
        add(asRow ? rows : 0, other.source(index), other.group(index), other.record(index), count);
      }
    }

    /** Ends a row made of the parts added since the last row. */
    public Builder endRow() {
      boolean whole = size == 0 || at(size - 1, 0) > 0 || at(size - 1, COUNT) == 0;
      if (whole) {
        append(1, 0, 0, 0, 0);
      } else {
        entries[(size - 1) * WIDTH] = 1;
      }
      return this;
    }

    /** Whether the builder is empty. */
    public boolean isEmpty() {
      return size == 0;
    }

    /** Returns the origins and empties the builder. */
    public Origins build() {
      if (size == 0) {
        return NONE;
      }
      int length = size * WIDTH;
      long[] built = length == entries.length ? entries : Arrays.copyOf(entries, length);
      entries = new long[0];
      size = 0;
      return new Origins(built);
    }

    private long at(int index, int field) {
      return entries[index * WIDTH + field];
    }

    private Builder add(int rows, long source, long group, long record, long count) {
      if (!joins(rows, source, group, record, count)) {
        append(rows, source, group, record, count);
      }
      return this;
    }

    /** Extends the last entry if the new one continues it. */
    private boolean joins(int rows, long source, long group, long record, long count) {
      if (size == 0 || count == 0 || rows != (rows == 0 ? 0 : count)) {
        return false;
      }
      int last = size - 1;
      long lastRows = at(last, 0);
      long lastCount = at(last, COUNT);
      boolean alike = rows == 0 ? lastRows == 0 && lastCount > 0 : lastRows == lastCount;
      boolean follows =
          alike
              && lastRows + rows <= Integer.MAX_VALUE
              && at(last, SOURCE) == source
              && at(last, GROUP) == group
              && at(last, RECORD) + lastCount == record
              && (rows == 0 || lastRows > 0);
      if (follows) {
        entries[last * WIDTH] += rows;
        entries[last * WIDTH + COUNT] += count;
      }
      return follows;
    }

    private void append(int rows, long source, long group, long record, long count) {
      int at = size * WIDTH;
      if (at == entries.length) {
        entries = Arrays.copyOf(entries, Math.max(4 * WIDTH, 2 * entries.length));
      }
      entries[at] = rows;
      entries[at + SOURCE] = source;
      entries[at + GROUP] = group;
      entries[at + RECORD] = record;
      entries[at + COUNT] = count;
      size++;
    }
  }
}

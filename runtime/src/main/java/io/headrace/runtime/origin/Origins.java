package io.headrace.runtime.origin;

import java.util.Arrays;

/**
 * Which records of which sources the rows of a chunk were made of; {@link #NONE} where nobody keeps
 * count. Immutable.
 *
 * <p>A record is known by three numbers. Its <i>source</i> is a repetition of one of the dataset's
 * split sources: the number of the repetition, from 0, times the number of sources, plus the place
 * of the source. Where a flat map makes records of each split, its <i>group</i> is the number of
 * the split, and its <i>record</i> the number among the records of that split, before any shuffle.
 * Otherwise the splits are the records: the group is {@link #SPLITS}, the record the number of the
 * split.
 *
 * <p>Origins are a list of entries. One with {@code rows >= 1} and {@code count == rows} says that
 * each of so many rows is one record: {@code record}, {@code record + 1}, and so on. One with one
 * row and another count says that the row is made of so many consecutive records. One without rows
 * adds to the row that comes next: records that were dropped before it or that went into it, or, if
 * its count is 0 as well, that the group has {@code record} records in all, and no more will come
 * of it. Entries at the end that no row follows are what was dropped behind the last row.
 */
public final class Origins {
  /** The group of records that are splits themselves. */
  public static final long SPLITS = -1;

  /** The origins of rows that nobody keeps count of. */
  public static final Origins NONE = new Origins(new long[0]);

  private static final int WIDTH = 5;
  private static final int SOURCE = 1;
  private static final int GROUP = 2;
  private static final int RECORD = 3;
  private static final int COUNT = 4;

  private final long[] entries;

  /** For each entry, the number of rows up to its end. */
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

  /** Whether there is nothing to say of any row. */
  public boolean isEmpty() {
    return rowsTo.length == 0;
  }

  /** The number of rows that are told of. */
  public int totalRows() {
    return rowsTo.length == 0 ? 0 : rowsTo[rowsTo.length - 1];
  }

  /** The rows of entry {@code index}. */
  public int rows(int index) {
    return (int) entries[index * WIDTH];
  }

  /** The number of rows up to the end of entry {@code index}. */
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

  /** The first record of entry {@code index}, or how many its group has in all. */
  public long record(int index) {
    return entries[index * WIDTH + RECORD];
  }

  /** The number of records of entry {@code index}. */
  public long count(int index) {
    return entries[index * WIDTH + COUNT];
  }

  /** Whether entry {@code index} says how many records its group has. */
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

  /** The origins of the rows of this and then those of {@code next}. */
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

  /** The entry that row {@code row} is in. */
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

  /** The first of the entries without rows that belong to the row of entry {@code index}. */
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

  /** Puts origins together. What is added without a row goes to the next row. Not thread-safe. */
  public static final class Builder {
    private long[] entries;
    private int size;

    /** A builder with nothing in it. */
    public Builder() {
      this(4);
    }

    /** One with room for {@code entries} entries; there may be more. */
    public Builder(int entries) {
      this.entries = new long[entries * WIDTH];
    }

    /** Rows that are consecutive records of one group. */
    public Builder addRecords(int rows, long source, long group, long record) {
      return add(rows, source, group, record, rows);
    }

    /** Consecutive records that have part in the next row, or were dropped before it. */
    public Builder addParts(long source, long group, long record, long count) {
      return count == 0 ? this : add(0, source, group, record, count);
    }

    /** That a group has {@code records} records in all. */
    public Builder addGroupEnd(long source, long group, long records) {
      return add(0, source, group, records, 0);
    }

    /** The rows {@code from} up to {@code to} of {@code other}, as rows. */
    public Builder addRows(Origins other, int from, int to) {
      return addRange(other, from, to, true);
    }

    /**
     * What the rows {@code from} up to {@code to} of {@code other} are made of, for the next row.
     */
    public Builder addParts(Origins other, int from, int to) {
      return addRange(other, from, to, false);
    }

    /** All of {@code other}, rows as rows. */
    public Builder addAll(Origins other) {
      for (int i = 0; i < other.size(); i++) {
        addEntry(other, i, true);
      }
      return this;
    }

    /** All that {@code other} tells of, for the next row. */
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

    /** The whole entry, unless it is a row made of nothing that is to be no row. */
    private void addEntry(Origins other, int index, boolean asRow) {
      int rows = other.rows(index);
      long count = other.count(index);
      if (asRow || rows == 0 || count > 0) {
        add(asRow ? rows : 0, other.source(index), other.group(index), other.record(index), count);
      }
    }

    /** Makes one row of what was added since the last row. */
    public Builder endRow() {
      boolean whole = size == 0 || at(size - 1, 0) > 0 || at(size - 1, COUNT) == 0;
      if (whole) {
        append(1, 0, 0, 0, 0);
      } else {
        entries[(size - 1) * WIDTH] = 1;
      }
      return this;
    }

    /** Whether nothing was added. */
    public boolean isEmpty() {
      return size == 0;
    }

    /** What was added; nothing is in the builder then. */
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

    /** Lengthens the last entry, where that says the same. */
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

package io.headrace.runtime.origin;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The places that a chunk's rows were read from, for the messages of errors: each row's file and
 * the number of its record there, from 1. {@link #NONE} where no row's place is known. Immutable.
 *
 * <p>Unlike {@link Origins} they are no accounting: a row that is made of several others, as a
 * batch is, has no place.
 */
public final class RecordPlaces {
  /** The places of rows that were read from no file. */
  public static final RecordPlaces NONE = new RecordPlaces(new String[0], new long[0], new int[0]);

  private static final String UNKNOWN = "";

  /** For each run of consecutive records: the file, the number of its first record. */
  private final String[] files;

  private final long[] records;

  /** The cumulative number of rows up to and including each run. */
  private final int[] rowsTo;

  private RecordPlaces(String[] files, long[] records, int[] rowsTo) {
    this.files = files;
    this.records = records;
    this.rowsTo = rowsTo;
  }

  /** The places of {@code rows} consecutive records of {@code file}, from {@code record} on. */
  public static RecordPlaces of(String file, long record, int rows) {
    return new RecordPlaces(new String[] {file}, new long[] {record}, new int[] {rows});
  }

  /** Whether no row's place is known. */
  public boolean isEmpty() {
    return rowsTo.length == 0;
  }

  /** The file of row {@code row}; null if it is unknown. */
  public @Nullable String file(int row) {
    if (isEmpty()) {
      return null;
    }
    String file = files[runOf(row)];
    return file.equals(UNKNOWN) ? null : file;
  }

  /** The number of row {@code row} among the records of its file, from 1; 0 if it is unknown. */
  public long record(int row) {
    return file(row) == null ? 0 : recordOf(runOf(row), row);
  }

  /** The place of row {@code row} in words, {@code record 17 of FILE}; empty if it is unknown. */
  public Optional<String> describe(int row) {
    return Optional.ofNullable(file(row))
        .map(file -> "record %d of %s".formatted(record(row), file));
  }

  /** The places of the rows {@code from} up to {@code to}. */
  public RecordPlaces slice(int from, int to) {
    return isEmpty() ? this : new Builder().addRows(this, from, to).build();
  }

  /** The places of the first {@code count} of {@code indices}, in that order. */
  public RecordPlaces gather(int[] indices, int count) {
    if (isEmpty()) {
      return this;
    }
    Builder gathered = new Builder();
    for (int i = 0; i < count; i++) {
      gathered.addRow(this, indices[i]);
    }
    return gathered.build();
  }

  private long recordOf(int run, int row) {
    return records[run] + row - (run == 0 ? 0 : rowsTo[run - 1]);
  }

  private int runOf(int row) {
    int found = Arrays.binarySearch(rowsTo, row);
    // Run i covers the rows below rowsTo[i].
    return found >= 0 ? found + 1 : -found - 1;
  }

  /** Builds places, row after row. Not thread-safe. */
  public static final class Builder {
    private String[] files = new String[4];
    private long[] records = new long[4];
    private int[] rowsTo = new int[4];
    private int runs;
    private boolean isKnown;

    /** An empty builder. */
    public Builder() {}

    /** Adds the place of row {@code row} of {@code other}. */
    public Builder addRow(RecordPlaces other, int row) {
      if (other.isEmpty()) {
        return addUnknown(1);
      }
      int run = other.runOf(row);
      return add(other.files[run], other.recordOf(run, row), 1);
    }

    /** Adds the places of the rows {@code from} up to {@code to} of {@code other}. */
    public Builder addRows(RecordPlaces other, int from, int to) {
      if (other.isEmpty()) {
        return addUnknown(to - from);
      }
      for (int row = from; row < to; ) {
        int run = other.runOf(row);
        int end = Math.min(to, other.rowsTo[run]);
        add(other.files[run], other.recordOf(run, row), end - row);
        row = end;
      }
      return this;
    }

    /** Adds rows whose places are unknown. */
    public Builder addUnknown(int rows) {
      return add(UNKNOWN, 0, rows);
    }

    /** Adds {@code rows} consecutive records of {@code file}, from {@code record} on. */
    public Builder add(String file, long record, int rows) {
      if (rows == 0) {
        return this;
      }
      isKnown |= !file.equals(UNKNOWN);
      int before = runs == 0 ? 0 : rowsTo[runs - 1];
      if (runs > 0 && continues(file, record)) {
        rowsTo[runs - 1] = before + rows;
        return this;
      }
      if (runs == rowsTo.length) {
        files = Arrays.copyOf(files, 2 * runs);
        records = Arrays.copyOf(records, 2 * runs);
        rowsTo = Arrays.copyOf(rowsTo, 2 * runs);
      }
      files[runs] = file;
      records[runs] = record;
      rowsTo[runs++] = before + rows;
      return this;
    }

    /** Whether a record follows the last run. */
    private boolean continues(String file, long record) {
      int last = runs - 1;
      int rows = rowsTo[last] - (last == 0 ? 0 : rowsTo[last - 1]);
      return file.equals(files[last]) && (file.equals(UNKNOWN) || record == records[last] + rows);
    }

    /** The places; {@link RecordPlaces#NONE} if none is known. The builder is empty afterwards. */
    public RecordPlaces build() {
      RecordPlaces built =
          isKnown
              ? new RecordPlaces(
                  Arrays.copyOf(files, runs),
                  Arrays.copyOf(records, runs),
                  Arrays.copyOf(rowsTo, runs))
              : NONE;
      runs = 0;
      isKnown = false;
      return built;
    }
  }
}

package io.headrace.dispatcher;

import io.headrace.proto.headrace.journal.JournalRecord;
import java.util.List;

/**
 * How much a journal has grown since its last compaction. The next one is due when it has doubled,
 * by the number of its records or by their bytes, but not before a least number of records or the
 * bytes that so many usual ones have. So the journal stays within a multiple of the live state,
 * whatever the size of its records, and a compaction costs no more than the appends before it. Used
 * by one thread.
 */
final class JournalGrowth {
  private static final long USUAL_BYTES = 400;

  private final long minRecords;
  private Size grown = new Size(0, 0);
  private Size live = new Size(0, 0);

  /** The size of a sequence of records. */
  record Size(long records, long bytes) {
    static Size of(List<JournalRecord> records) {
      return new Size(
          records.size(), records.stream().mapToLong(JournalRecord::getSerializedSize).sum());
    }

    static Size ofBytes(List<byte[]> records) {
      return new Size(records.size(), records.stream().mapToLong(bytes -> bytes.length).sum());
    }
  }

  /**
   * Of an empty journal.
   *
   * @param minRecords the least number of records between two compactions
   */
  JournalGrowth(long minRecords) {
    this.minRecords = minRecords;
  }

  /** Records were appended. */
  void append(Size more) {
    grown = new Size(grown.records + more.records, grown.bytes + more.bytes);
  }

  /** The state was found to be of this size; what the journal has beyond it counts as growth. */
  void measure(Size state) {
    live = state;
    grown =
        new Size(
            Math.max(0, grown.records - state.records), Math.max(0, grown.bytes - state.bytes));
  }

  /** A compaction to this size was tried; the next one is due after new growth. */
  void compact(Size state) {
    live = state;
    grown = new Size(0, 0);
  }

  boolean isDue() {
    return grown.records >= Math.max(minRecords, live.records)
        || grown.bytes >= Math.max(minRecords * USUAL_BYTES, live.bytes);
  }
}

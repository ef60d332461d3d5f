package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;

/**
 * A row of a flat map's input: one split, and the splits dropped before it.
 *
 * @param source the source of the split; negative if unknown
 * @param split the number of the split
 * @param before reports, for each dropped split, that it has no records
 */
public record SplitRow(long source, long split, Origins before) {
  private static final SplitRow UNTOLD = new SplitRow(-1, -1, Origins.NONE);

  /** The split in {@code origins}; unknown if they are not exactly one split. */
  public static SplitRow of(Origins origins) {
    int last = origins.size() - 1;
    if (last < 0 || origins.count(last) != 1 || origins.group(last) != Origins.SPLITS) {
      return UNTOLD;
    }
    DroppedOrigins before = new DroppedOrigins();
    for (int i = 0; i < last; i++) {
      addEnds(origins, i, before);
    }
    return new SplitRow(origins.source(last), origins.record(last), before.take());
  }

  /** Reports that each split in {@code dropped} has no records; passes ends of groups on. */
  public static void addEnds(Origins dropped, DroppedOrigins to) {
    for (int i = 0; i < dropped.size(); i++) {
      addEnds(dropped, i, to);
    }
  }

  private static void addEnds(Origins dropped, int entry, DroppedOrigins to) {
    if (dropped.isGroupEnd(entry)) {
      to.addGroupEnd(dropped.source(entry), dropped.group(entry), dropped.record(entry));
    } else if (dropped.group(entry) == Origins.SPLITS) {
      for (long k = 0; k < dropped.count(entry); k++) {
        to.addGroupEnd(dropped.source(entry), dropped.record(entry) + k, 0);
      }
    }
  }

  /** Whether the split is known. */
  public boolean isTold() {
    return source >= 0;
  }

  /**
   * The context of the pass over the dataset made of this split: in order, so that its records have
   * the same numbers each time.
   *
   * @param inside the context of passes inside the flat map
   */
  public IteratorContext context(IteratorContext inside) {
    return isTold() ? inside.withOrder() : inside;
  }

  /**
   * The pass {@code rows} over the dataset made of this split, with the origin of each row, without
   * the records to be left out.
   *
   * @param flatMap the context of the flat map
   */
  public ChunkIterator named(ChunkIterator rows, IteratorContext flatMap) {
    if (!isTold()) {
      return rows;
    }
    LongSet received = flatMap.received(source, split);
    return new SplitRecordIterator(
        rows, this, received.isEmpty() ? new long[0] : received.ranges());
  }

  /** A pass that throws only {@code failure}, because no dataset could be made of this split. */
  public ChunkIterator failed(StatusException failure) {
    return new FailedIterator(failure, rest(0));
  }

  /** The origins to report if the split has {@code records} records in total. */
  public Origins rest(long records) {
    DroppedOrigins all = new DroppedOrigins();
    all.add(before);
    if (isTold()) {
      all.addGroupEnd(source, split, records);
    }
    return all.take();
  }
}

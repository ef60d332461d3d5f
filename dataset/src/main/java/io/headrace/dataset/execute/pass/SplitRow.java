package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;

/**
 * What a row of a flat map's input is: a split, behind others that were dropped.
 *
 * @param source the source of the split; negative where that is not told
 * @param split its number
 * @param before says of each split that was dropped that it has no records
 */
public record SplitRow(long source, long split, Origins before) {
  private static final SplitRow UNTOLD = new SplitRow(-1, -1, Origins.NONE);

  /** The row that {@code origins} tell of; not told if it is not just one split. */
  public static SplitRow of(Origins origins) {
    int last = origins.size() - 1;
    if (last < 0 || origins.count(last) != 1 || origins.group(last) != Origins.SPLITS) {
      return UNTOLD;
    }
    Dropped before = new Dropped();
    for (int i = 0; i < last; i++) {
      addEnds(origins, i, before);
    }
    return new SplitRow(origins.source(last), origins.record(last), before.take());
  }

  /** Each split that {@code dropped} tells of has no records; ends of groups stay. */
  public static void addEnds(Origins dropped, Dropped to) {
    for (int i = 0; i < dropped.size(); i++) {
      addEnds(dropped, i, to);
    }
  }

  private static void addEnds(Origins dropped, int entry, Dropped to) {
    if (dropped.isGroupEnd(entry)) {
      to.addGroupEnd(dropped.source(entry), dropped.group(entry), dropped.record(entry));
    } else if (dropped.group(entry) == Origins.SPLITS) {
      for (long k = 0; k < dropped.count(entry); k++) {
        to.addGroupEnd(dropped.source(entry), dropped.record(entry) + k, 0);
      }
    }
  }

  /** Whether it is told which split it is. */
  public boolean isTold() {
    return source >= 0;
  }

  /**
   * What surrounds the pass over the dataset that is made of it: its order is kept, so that its
   * records have the same numbers each time.
   *
   * @param inside what else surrounds it
   */
  public IteratorContext context(IteratorContext inside) {
    return isTold() ? inside.withOrder() : inside;
  }

  /**
   * {@code rows}, a pass over the dataset that was made of it, with each row's origin, without
   * those that are not to be made again.
   *
   * @param flatMap what surrounds the flat map
   */
  public ChunkIterator named(ChunkIterator rows, IteratorContext flatMap) {
    if (!isTold()) {
      return rows;
    }
    LongSet received = flatMap.received(source, split);
    return new GroupIterator(rows, this, received.isEmpty() ? new long[0] : received.ranges());
  }

  /** A pass that gives nothing but {@code failure}, for no dataset could be made of it. */
  public ChunkIterator failed(StatusException failure) {
    return new FailedIterator(failure, rest(0));
  }

  /** What is told if the split turns out to have {@code records} records in all. */
  public Origins rest(long records) {
    Dropped all = new Dropped();
    all.add(before);
    if (isTold()) {
      all.addGroupEnd(source, split, records);
    }
    return all.take();
  }
}

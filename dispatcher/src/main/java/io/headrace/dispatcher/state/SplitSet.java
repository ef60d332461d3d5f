package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.SourceSplits;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RangeEncoding;
import io.headrace.runtime.origin.RecordSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A set of splits, by source number (a repetition of a split source), as {@link
 * io.headrace.runtime.origin.Origins} number them.
 */
public final class SplitSet {
  private static final LongSet NO_SPLITS = new LongSet();

  private final TreeMap<Long, LongSet> bySource = new TreeMap<>();

  public boolean isEmpty() {
    return bySource.isEmpty();
  }

  /** Adds the splits from {@code from}, inclusive, to {@code to}, exclusive. */
  void add(long source, long from, long to) {
    if (from < to) {
      bySource.computeIfAbsent(source, _ -> new LongSet()).addRange(from, to);
    }
  }

  void addAll(SplitSet other) {
    other.bySource.forEach(
        (source, splits) -> splits.forEachRange((from, to) -> add(source, from, to)));
  }

  /** The splits of {@code source}. The caller must not modify the set. */
  LongSet of(long source) {
    return bySource.getOrDefault(source, NO_SPLITS);
  }

  /** The splits by source number, in ascending order. The caller must not modify the map. */
  public Map<Long, LongSet> bySource() {
    return bySource;
  }

  /** The number of splits. */
  public long size() {
    return bySource.values().stream().mapToLong(LongSet::size).sum();
  }

  /** The splits that have a record which is not in {@code records}. */
  public SplitSet without(RecordSet records, IterationSources sources) {
    SplitSet rest = new SplitSet();
    bySource.forEach((source, splits) ->
        splits
            .minus(sources.complete(records, source))
            .forEachRange((from, to) -> rest.add(source, from, to)));
    return rest;
  }

  /** Whether {@code more} has records of these splits that are not in {@code records}. */
  boolean addsTo(RecordSet records, RecordSet more) {
    RecordSet both = records.copy();
    both.addAll(more.within(bySource));
    return !both.equals(records);
  }

  public List<SourceSplits> toProto() {
    List<SourceSplits> messages = new ArrayList<>();
    bySource.forEach((source, splits) ->
        messages.add(
            SourceSplits.newBuilder()
                .setSource(source)
                .addAllRanges(RangeEncoding.write(splits))
                .build()));
    return messages;
  }

  public static SplitSet of(List<SourceSplits> messages) {
    SplitSet set = new SplitSet();
    for (SourceSplits message : messages) {
      RangeEncoding.read(message.getRangesList())
          .forEachRange((from, to) -> set.add(message.getSource(), from, to));
    }
    return set;
  }
}

package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.SourceSplits;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RangeCode;
import io.headrace.runtime.origin.RecordSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Some splits of some sources, a source being a repetition of one of a dataset's, as {@link
 * io.headrace.runtime.origin.Origins} number them.
 */
public final class SplitSet {
  private static final LongSet NO_SPLITS = new LongSet();

  private final TreeMap<Long, LongSet> bySource = new TreeMap<>();

  boolean isEmpty() {
    return bySource.isEmpty();
  }

  /** Adds the splits {@code from} up to {@code to}. */
  void add(long source, long from, long to) {
    if (from < to) {
      bySource.computeIfAbsent(source, _ -> new LongSet()).addRange(from, to);
    }
  }

  void addAll(SplitSet other) {
    other.bySource.forEach(
        (source, splits) -> splits.forEachRange((from, to) -> add(source, from, to)));
  }

  /** The splits of {@code source}; not to be changed. */
  LongSet of(long source) {
    return bySource.getOrDefault(source, NO_SPLITS);
  }

  /** The splits by source, in their order; not to be changed. */
  public Map<Long, LongSet> bySource() {
    return bySource;
  }

  /** How many splits there are. */
  long size() {
    return bySource.values().stream().mapToLong(LongSet::size).sum();
  }

  /** The splits of which {@code records} does not have every record. */
  public SplitSet without(RecordSet records, Sources sources) {
    SplitSet rest = new SplitSet();
    bySource.forEach((source, splits) ->
        splits
            .minus(sources.complete(records, source))
            .forEachRange((from, to) -> rest.add(source, from, to)));
    return rest;
  }

  /** Whether {@code more} has records of these splits that {@code records} does not have. */
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
                .addAllRanges(RangeCode.write(splits))
                .build()));
    return messages;
  }

  public static SplitSet of(List<SourceSplits> messages) {
    SplitSet set = new SplitSet();
    for (SourceSplits message : messages) {
      RangeCode.read(message.getRangesList())
          .forEachRange((from, to) -> set.add(message.getSource(), from, to));
    }
    return set;
  }
}

package io.headrace.dispatcher.state;

import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
import java.util.HashMap;
import java.util.Map;

/** Work to make again: splits, less the records of them that were received. */
public final class Remainder {
  private static final long[] NO_RANGES = {};

  private final long settlementId;
  private final SplitSet splits;
  private final RecordSet received;
  private final Map<Long, long[]> ranges = new HashMap<>();

  /**
   * A remainder that waits for a task.
   *
   * @param settlementId the settlement that found it
   * @param splits the splits to make again
   * @param received the records of {@code splits} that are not made again
   */
  Remainder(long settlementId, SplitSet splits, RecordSet received) {
    this.settlementId = settlementId;
    this.splits = splits;
    this.received = received;
  }

  public long settlementId() {
    return settlementId;
  }

  SplitSet splits() {
    return splits;
  }

  public RecordSet received() {
    return received;
  }

  /** Whether any of {@code records} is to be made again. */
  boolean containsAny(RecordSet records) {
    return splits.addsTo(received, records);
  }

  /** The first range of splits of {@code source} at or after {@code from}. */
  public SplitRange next(long source, long from) {
    return SplitRange.next(
        ranges.computeIfAbsent(
            source,
            number -> {
              LongSet of = splits.of(number);
              return of.isEmpty() ? NO_RANGES : of.ranges();
            }),
        from);
  }

  /** Whether the remainder has splits of a later repetition of the source at {@code provider}. */
  public boolean hasLater(IterationSources sources, long repetition, long provider) {
    return hasBetween(sources, sources.number(repetition, provider), Long.MAX_VALUE);
  }

  /**
   * Whether the remainder has splits of a repetition of the same provider between two source
   * numbers, both exclusive.
   */
  public boolean hasBetween(IterationSources sources, long behind, long before) {
    return splits.bySource().keySet().stream()
        .anyMatch(source ->
            source > behind && source < before && (source - behind) % sources.size() == 0);
  }
}

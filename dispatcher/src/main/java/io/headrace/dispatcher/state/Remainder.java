package io.headrace.dispatcher.state;

import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
import java.util.HashMap;
import java.util.Map;

/** What is to be made again: splits, and of some of them records that are not. */
public final class Remainder {
  private static final long[] NO_RANGES = {};

  private final long settlementId;
  private final SplitSet splits;
  private final RecordSet received;
  private final Map<Long, long[]> ranges = new HashMap<>();

  /**
   * One that waits for a task.
   *
   * @param settlementId what found it
   * @param received the records of {@code splits} that are not to be made again
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

  /** Whether some of {@code records} are to be made again. */
  boolean hasOf(RecordSet records) {
    return splits.addsTo(received, records);
  }

  /** The first run of splits of {@code source} from split {@code from} on. */
  public Run next(long source, long from) {
    return Run.next(
        ranges.computeIfAbsent(
            source,
            number -> {
              LongSet of = splits.of(number);
              return of.isEmpty() ? NO_RANGES : of.ranges();
            }),
        from);
  }

  /** Whether it has splits of a later repetition of the source at {@code provider}. */
  public boolean hasLater(Sources sources, long repetition, long provider) {
    return hasBetween(sources, sources.number(repetition, provider), Long.MAX_VALUE);
  }

  /** Whether it has splits of a repetition of a source behind one and before another. */
  public boolean hasBetween(Sources sources, long behind, long before) {
    return splits.bySource().keySet().stream()
        .anyMatch(source ->
            source > behind && source < before && (source - behind) % sources.size() == 0);
  }
}

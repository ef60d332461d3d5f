package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.proto.headrace.journal.SplitsTaken;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The splits handed out in an iteration: each source's current repetition and next split; each
 * task's last request, which may be retransmitted; and, where lost work is not made again, the
 * number of splits that each task took. Mutated by {@link Iterations} only.
 */
public final class SplitProgress {
  private static final long UNNAMED = 0;
  private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

  private final List<SplitSource> sources;
  private final long[] repetitions;
  private final long[] nextSplits;
  private final Map<Taker, SplitsTaken> lastTaken = new LinkedHashMap<>();
  private final Map<Long, Long> counts = new TreeMap<>();

  private record Taker(long taskId, long provider) {}

  SplitProgress(List<SplitSource> sources) {
    this.sources = List.copyOf(sources);
    this.repetitions = new long[sources.size()];
    this.nextSplits = new long[sources.size()];
  }

  public List<SplitSource> sources() {
    return sources;
  }

  /** The current repetition of {@code provider}; earlier ones have no more splits. */
  public long repetition(int provider) {
    return repetitions[provider];
  }

  /** The next split of {@code repetition}, which is the current one or later. */
  public long nextSplit(int provider, long repetition) {
    return repetition == repetitions[provider] ? nextSplits[provider] : 0;
  }

  /** The number of splits handed out, in all repetitions; {@code Long.MAX_VALUE} if greater. */
  public long numHandedOut() {
    BigInteger total = BigInteger.ZERO;
    for (int i = 0; i < repetitions.length; i++) {
      total =
          total
              .add(
                  BigInteger.valueOf(repetitions[i])
                      .multiply(BigInteger.valueOf(sources.get(i).getCount())))
              .add(BigInteger.valueOf(nextSplits[i]));
    }
    return total.min(MOST).longValue();
  }

  /** The number of splits of one repetition of all sources; {@code Long.MAX_VALUE} if greater. */
  public long numSplits() {
    return sources.stream()
        .map(source -> BigInteger.valueOf(source.getCount()))
        .reduce(BigInteger.ZERO, BigInteger::add)
        .min(MOST)
        .longValue();
  }

  /** The last answer that a task got for {@code provider}. */
  public Optional<SplitsTaken> lastTaken(long taskId, long provider) {
    return Optional.ofNullable(lastTaken.get(new Taker(taskId, provider)));
  }

  void take(SplitsTaken change) {
    int provider = (int) change.getSplitProviderIndex();
    if (provider >= sources.size()) {
      throw new IllegalStateException("there is no split provider " + provider);
    }
    boolean ends = change.getNumSplits() == 0;
    repetitions[provider] = change.getRepetition() + (ends ? 1 : 0);
    nextSplits[provider] = ends ? 0 : change.getFirstSplit() + change.getNumSplits();
    remember(change);
  }

  /** Remembers an answer without advancing the source, as for a remainder's splits. */
  void remember(SplitsTaken change) {
    if (change.getTaskId() != 0) {
      lastTaken.put(new Taker(change.getTaskId(), change.getSplitProviderIndex()), change);
    }
  }

  /** All splits that have been handed out. */
  public SplitSet handedOut() {
    IterationSources numbered = new IterationSources(sources);
    SplitSet all = new SplitSet();
    for (int i = 0; i < repetitions.length; i++) {
      for (long repetition = 0; repetition < repetitions[i]; repetition++) {
        all.add(numbered.number(repetition, i), 0, sources.get(i).getCount());
      }
      all.add(numbered.number(repetitions[i], i), 0, nextSplits[i]);
    }
    return all;
  }

  /** Adds to a task's split count. Task 0 stands for stock workers, which don't name their task. */
  void count(SplitsTaken change) {
    counts.merge(change.getTaskId(), change.getNumSplits(), Long::sum);
  }

  void setCount(long taskId, long number) {
    counts.put(taskId, number);
  }

  /**
   * The most splits that can be lost with a task: the splits it took, or, if it took none under its
   * id, those taken under no task id.
   */
  long lostWith(long taskId) {
    return counts.getOrDefault(counts.containsKey(taskId) ? taskId : UNNAMED, 0L);
  }

  /**
   * Forgets the last requests and counts of a task that has ended. Splits taken under no task id
   * count as lost with the first lost task only.
   */
  void forgetTask(long taskId, boolean isLost) {
    for (int i = 0; i < repetitions.length; i++) {
      lastTaken.remove(new Taker(taskId, i));
    }
    if (!counts.containsKey(taskId) && isLost) {
      counts.remove(UNNAMED);
    }
    counts.remove(taskId);
  }

  /** Adds the records of the counts; they must follow the ends of the iteration's tasks. */
  void snapshotCounts(long iterationId, List<JournalRecord> records) {
    if (!sources.isEmpty()) {
      // Written even if 0: it overrides the count that replaying SplitsTaken without a task makes.
      records.add(
          JournalRecords.splitsLeased(iterationId, UNNAMED, counts.getOrDefault(UNNAMED, 0L)));
    }
    counts.forEach((task, number) -> {
      if (task != UNNAMED) {
        records.add(JournalRecords.splitsLeased(iterationId, task, number));
      }
    });
  }

  /** Adds the records that restore the progress; the last record of a source sets its position. */
  void snapshot(long iterationId, List<JournalRecord> records) {
    lastTaken.values().forEach(taken -> records.add(JournalRecords.of(taken)));
    for (int i = 0; i < repetitions.length; i++) {
      boolean begins = nextSplits[i] == 0;
      if (begins && repetitions[i] == 0 && lastTaken.isEmpty()) {
        continue;
      }
      SplitsTaken.Builder last =
          SplitsTaken.newBuilder().setIterationId(iterationId).setSplitProviderIndex(i);
      records.add(
          JournalRecords.of(
              begins
                  ? last.setRepetition(repetitions[i] - 1).build()
                  : last.setRepetition(repetitions[i]).setNumSplits(nextSplits[i]).build()));
    }
  }
}

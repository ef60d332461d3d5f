package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.proto.headrace.journal.SplitsTaken;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which splits of an iteration were handed out: for each source the repetition that it is in and
 * the next split, and for each task its last request, which may come again, and, where lost work is
 * not made again, how many it took. Changed by {@link Iterations} only; others read it.
 */
public final class SplitProgress {
  private static final long UNNAMED = 0;

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

  /** The repetition that the source {@code provider} is in; earlier ones have no more splits. */
  public long repetition(int provider) {
    return repetitions[provider];
  }

  /** The number of the next split of {@code repetition}, which is not an earlier one. */
  public long nextSplit(int provider, long repetition) {
    return repetition == repetitions[provider] ? nextSplits[provider] : 0;
  }

  /** What the task got last of the source {@code provider}. */
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

  /** A task was answered so, which takes no part in handing out what was not handed out before. */
  void remember(SplitsTaken change) {
    if (change.getTaskId() != 0) {
      lastTaken.put(new Taker(change.getTaskId(), change.getSplitProviderIndex()), change);
    }
  }

  /** All splits that were handed out. */
  public SplitSet handedOut() {
    Sources numbered = new Sources(sources);
    SplitSet all = new SplitSet();
    for (int i = 0; i < repetitions.length; i++) {
      for (long repetition = 0; repetition < repetitions[i]; repetition++) {
        all.add(numbered.number(repetition, i), 0, sources.get(i).getCount());
      }
      all.add(numbered.number(repetitions[i], i), 0, nextSplits[i]);
    }
    return all;
  }

  /** Counts what was taken; task 0 are the workers that do not say for which task. */
  void count(SplitsTaken change) {
    counts.merge(change.getTaskId(), change.getNumSplits(), Long::sum);
  }

  void setCount(long taskId, long number) {
    counts.put(taskId, number);
  }

  /**
   * How many splits at most are lost with a task: those that it took, or, if it took none by its
   * name, those that were taken without one.
   */
  long lostWith(long taskId) {
    return counts.getOrDefault(counts.containsKey(taskId) ? taskId : UNNAMED, 0L);
  }

  /** A task that has ended asks no more, and what was lost with it is lost with no other. */
  void forgetTask(long taskId, boolean isLost) {
    for (int i = 0; i < repetitions.length; i++) {
      lastTaken.remove(new Taker(taskId, i));
    }
    if (!counts.containsKey(taskId) && isLost) {
      counts.remove(UNNAMED);
    }
    counts.remove(taskId);
  }

  /**
   * Records of {@code iterationId} that say what was counted, once the ends of its tasks are told.
   */
  void snapshotCounts(long iterationId, List<JournalRecord> records) {
    if (!sources.isEmpty()) {
      // Told also if it is 0, for what SplitsTaken told is told without tasks.
      records.add(Records.splitsLeased(iterationId, UNNAMED, counts.getOrDefault(UNNAMED, 0L)));
    }
    counts.forEach((task, number) -> {
      if (task != UNNAMED) {
        records.add(Records.splitsLeased(iterationId, task, number));
      }
    });
  }

  /** Records of {@code iterationId} that lead here; the last of a source says where it is. */
  void snapshot(long iterationId, List<JournalRecord> records) {
    lastTaken.values().forEach(taken -> records.add(Records.of(taken)));
    for (int i = 0; i < repetitions.length; i++) {
      boolean begins = nextSplits[i] == 0;
      if (begins && repetitions[i] == 0 && lastTaken.isEmpty()) {
        continue;
      }
      SplitsTaken.Builder last =
          SplitsTaken.newBuilder().setIterationId(iterationId).setSplitProviderIndex(i);
      records.add(
          Records.of(
              begins
                  ? last.setRepetition(repetitions[i] - 1).build()
                  : last.setRepetition(repetitions[i]).setNumSplits(nextSplits[i]).build()));
    }
  }
}

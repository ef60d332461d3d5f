package io.headrace.dataset.execute;

import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Provides the numbered splits of a dataset's sources to one pass, as a dispatcher does: some at a
 * time, without those that were received completely.
 */
final class NumberedSplits {
  private final List<SplitSource> sources;
  private final RecordSet received;
  private final RandomGenerator random;
  private final long repetitions;

  /** The splits provided, by the number of their source. */
  final Map<Long, LongSet> given = new TreeMap<>();

  /** Provides splits in every repetition. */
  NumberedSplits(List<SplitSource> sources, RecordSet received, RandomGenerator random) {
    this(sources, received, random, Long.MAX_VALUE);
  }

  /** Provides splits in the first {@code repetitions} repetitions. */
  NumberedSplits(
      List<SplitSource> sources, RecordSet received, RandomGenerator random, long repetitions) {
    this.sources = sources;
    this.received = received;
    this.random = random;
    this.repetitions = repetitions;
  }

  /** The provider of each source. */
  List<SplitProvider> providers() {
    List<SplitProvider> providers = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      providers.add(new Provider(i));
    }
    return providers;
  }

  private synchronized void note(long source, SplitRun run) {
    given
        .computeIfAbsent(source, _ -> new LongSet())
        .addRange(run.number(), run.number() + run.count());
  }

  private final class Provider implements SplitProvider {
    private final int place;
    private long repetition;
    private long next;

    Provider(int place) {
      this.place = place;
    }

    @Override
    public @Nullable SplitRun next(long max) {
      SplitSource source = sources.get(place);
      while (next < source.count() && isReceived(next)) {
        next++;
      }
      if (next == source.count() || repetition >= repetitions) {
        return null;
      }
      long most = Math.min(Math.min(max, random.nextInt(1, 9)), source.count() - next);
      long count = 1;
      while (count < most && !isReceived(next + count)) {
        count++;
      }
      SplitRun run =
          new SplitRun(source.first() + next * source.step(), source.step(), count, next);
      note(source(), run);
      next += count;
      return run;
    }

    private boolean isReceived(long split) {
      return sources.get(place).grouped()
          ? received.isComplete(source(), split)
          : received.records(source(), Origins.SPLITS).contains(split);
    }

    @Override
    public void reset() {
      repetition++;
      next = 0;
    }

    @Override
    public long source() {
      return repetition * sources.size() + place;
    }

    @Override
    public LongSet received(long source, long split) {
      return received.records(source, split);
    }

    @Override
    public boolean isExhausted() {
      return repetition + 1 >= repetitions;
    }
  }
}

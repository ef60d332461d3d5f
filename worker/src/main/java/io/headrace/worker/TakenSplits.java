package io.headrace.worker;

import io.headrace.dataset.execute.pass.SourceFile;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RangeCode;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The splits of one source, taken for one task from a Headrace dispatcher: as many at a time as its
 * pace says. Used by one thread at a time.
 *
 * <p>Where what this worker leaves behind is made again, the next splits are asked for when half of
 * the last ones are used up, so that the work goes on while the dispatcher starts anew. Where it is
 * lost, none are asked for ahead.
 */
final class TakenSplits implements SplitProvider {
  private static final Logger LOGGER = System.getLogger(TakenSplits.class.getName());

  private final DispatcherCalls dispatcher;
  private final TaskDef task;
  private final int index;
  private final boolean tracked;
  private final SplitPace pace;
  private final Cancellation cancellation;
  private final Deque<SplitRun> taken = new ArrayDeque<>();

  /** Of splits that were taken, the records that are not to be made again. */
  private final Map<Split, LongSet> received = new ConcurrentHashMap<>();

  private long repetition;
  private long requests;

  /** The answer that follows; null if it was not asked for yet. */
  private @Nullable CompletableFuture<TakeSplitsResponse> ahead;

  private volatile boolean exhausted;

  private record Split(long source, long number) {}

  /**
   * The splits of the source {@code index} of {@code task}.
   *
   * @param tracked whether rows are to say which records they were made of
   */
  TakenSplits(
      DispatcherCalls dispatcher,
      TaskDef task,
      int index,
      boolean tracked,
      SplitPace pace,
      Cancellation cancellation) {
    this.dispatcher = dispatcher;
    this.task = task;
    this.index = index;
    this.tracked = tracked;
    this.pace = pace;
    this.cancellation = cancellation;
  }

  @Override
  public @Nullable SplitRun next(long max) {
    if (taken.isEmpty() && !take()) {
      return null;
    }
    if (ahead == null && pace.asksAhead()) {
      TakeSplitsRequest request = request();
      ahead = CompletableFuture.supplyAsync(() -> ask(request), Thread::startVirtualThread);
    }
    SplitRun run = first(Math.min(max, taken.getFirst().count()));
    pace.used(run.count());
    return run;
  }

  /** The next {@code count} splits, or those of them before a file that is not as it was. */
  private SplitRun first(long count) {
    SplitRun all = taken.removeFirst();
    long good = unchanged(all, count);
    if (good < all.count()) {
      taken.addFirst(all.slice(good, all.count()));
    }
    return all.slice(0, good);
  }

  /**
   * How many of the first {@code count} splits of {@code run} are as they were, at least 1. If the
   * first is not, the others are put back, and its error is thrown: it is left out.
   */
  private long unchanged(SplitRun run, long count) {
    for (int i = 0; i < Math.min(count, run.files().size()); i++) {
      try {
        run.files().get(i).requireUnchanged();
      } catch (StatusException e) {
        if (i > 0) {
          return i;
        }
        // A transformation may pass over the error: it is to be seen here in any case.
        LOGGER.log(Level.WARNING, "task " + task.getTaskId() + ": " + e.message());
        pace.used(1);
        if (run.count() > 1) {
          taken.addFirst(run.slice(1, run.count()));
        }
        throw e;
      }
    }
    return count;
  }

  @Override
  public void reset() {
    repetition++;
    taken.clear();
    // If it was asked for, it was of the repetition that is over.
    ahead = null;
    pace.got(0);
  }

  @Override
  public long source() {
    return tracked ? repetition * task.getNumSplitProviders() + index : -1;
  }

  @Override
  public LongSet received(long source, long split) {
    return received.getOrDefault(new Split(source, split), LongSet.EMPTY);
  }

  @Override
  public boolean isExhausted() {
    return exhausted;
  }

  /** Takes some more; false if there are none. */
  private boolean take() {
    TakeSplitsResponse response = ahead == null ? ask(request()) : await(ahead);
    ahead = null;
    if (response.getEndOfSplits()) {
      pace.got(0);
      exhausted = response.getEndOfTask();
      return false;
    }
    pace.got(response.getNumSplits());
    response
        .getReceivedList()
        .forEach(records ->
            received.put(
                new Split(source(), records.getGroup()), RangeCode.read(records.getRangesList())));
    long number = response.getFirstSplit();
    if (response.getValuesCount() > 0) {
      for (long value : response.getValuesList()) {
        taken.add(new SplitRun(value, 1, 1, number++));
      }
    } else {
      taken.add(
          new SplitRun(
              response.getFirst(),
              response.getStep(),
              response.getNumSplits(),
              number,
              files(response)));
    }
    return true;
  }

  private static List<SourceFile> files(TakeSplitsResponse response) {
    return response.getFilesList().stream()
        .map(file ->
            new SourceFile(
                file.getName(),
                file.hasSize() ? file.getSize() : SourceFile.UNSEEN,
                file.getModifiedMillis()))
        .toList();
  }

  private TakeSplitsRequest request() {
    return TakeSplitsRequest.newBuilder()
        .setTaskId(task.getTaskId())
        .setSplitProviderIndex(index)
        .setRepetition(repetition)
        .setMaxSplits(pace.wanted())
        .setRequestNumber(++requests)
        .build();
  }

  /** Whoever asks tries on no longer than the task lives. */
  private static TakeSplitsResponse await(CompletableFuture<TakeSplitsResponse> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StatusException failure
          ? new StatusException(failure.code(), failure.message(), failure)
          : e;
    }
  }

  /** Asks for splits; ends the task if the dispatcher knows of no part of it in the work. */
  private TakeSplitsResponse ask(TakeSplitsRequest request) {
    try {
      return dispatcher.takeSplits(request, cancellation);
    } catch (StatusException e) {
      if (e.code() == StatusCode.NOT_FOUND) {
        cancellation.cancel();
      }
      throw e;
    }
  }
}

package io.headrace.worker;

import io.headrace.dataset.execute.pass.SourceFile;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RangeEncoding;
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
 * The splits of one source of a task from a Headrace dispatcher, requested in batches by
 * TakeSplits; a {@link SplitBatchSizer} chooses their size. Not thread-safe.
 *
 * <p>If undelivered splits are produced again elsewhere, the next batch is prefetched when half of
 * the last one is used up, so that the task keeps working while the dispatcher restarts. If they
 * would be lost, nothing is prefetched.
 */
final class BatchedSplitProvider implements SplitProvider, LeavingSplits {
  private static final Logger LOGGER = System.getLogger(BatchedSplitProvider.class.getName());

  private final DispatcherStub dispatcher;
  private final TaskDef task;
  private final int index;
  private final boolean tracked;
  private final SplitBatchSizer pace;
  private final Cancellation cancellation;
  private final Deque<SplitRun> taken = new ArrayDeque<>();

  /** By split, the records that readers have received and that must not be produced again. */
  private final Map<Split, LongSet> received = new ConcurrentHashMap<>();

  private long repetition;
  private long requests;

  /** The prefetched batch; null if none was requested. */
  private @Nullable CompletableFuture<TakeSplitsResponse> ahead;

  private volatile boolean exhausted;
  private volatile boolean ending;
  private volatile boolean endedEarly;

  private record Split(long source, long number) {}

  /**
   * The splits of the source {@code index} of {@code task}.
   *
   * @param tracked whether rows carry origins
   */
  BatchedSplitProvider(
      DispatcherStub dispatcher,
      TaskDef task,
      int index,
      boolean tracked,
      SplitBatchSizer pace,
      Cancellation cancellation) {
    this.dispatcher = dispatcher;
    this.task = task;
    this.index = index;
    this.tracked = tracked;
    this.pace = pace;
    this.cancellation = cancellation;
  }

  @Override
  public void endSoon() {
    ending = true;
  }

  @Override
  public boolean endedEarly() {
    return endedEarly;
  }

  @Override
  public @Nullable SplitRun next(long max) {
    if (taken.isEmpty() && ending) {
      endedEarly = true;
      return null;
    }
    if (taken.isEmpty() && !takeBatch()) {
      return null;
    }
    if (ahead == null && pace.asksAhead()) {
      TakeSplitsRequest request = request();
      ahead = CompletableFuture.supplyAsync(() -> call(request), Thread::startVirtualThread);
    }
    SplitRun run = first(Math.min(max, taken.getFirst().count()));
    pace.used(run.count());
    return run;
  }

  /** The next {@code count} splits, or those before the first changed file. */
  private SplitRun first(long count) {
    SplitRun all = taken.removeFirst();
    long good = unchanged(all, count);
    if (good < all.count()) {
      taken.addFirst(all.slice(good, all.count()));
    }
    return all.slice(0, good);
  }

  /**
   * The number of splits at the start of {@code run}, up to {@code count}, whose files are
   * unchanged; at least 1. If the first one has changed, it is left out, the others are put back,
   * and its error is thrown.
   */
  private long unchanged(SplitRun run, long count) {
    for (int i = 0; i < Math.min(count, run.files().size()); i++) {
      try {
        run.files().get(i).requireUnchanged();
      } catch (StatusException e) {
        if (i > 0) {
          return i;
        }
        // A transformation may ignore the error, so it is logged here.
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
    // A prefetched batch belongs to the repetition that is over.
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
    return exhausted || endedEarly;
  }

  /** Requests a batch; false if there are no more splits. */
  private boolean takeBatch() {
    TakeSplitsResponse response = ahead == null ? call(request()) : await(ahead);
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
                new Split(source(), records.getGroup()),
                RangeEncoding.read(records.getRangesList())));
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

  /** Waits for the prefetched batch; its request ends with the task at the latest. */
  private static TakeSplitsResponse await(CompletableFuture<TakeSplitsResponse> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StatusException failure
          ? new StatusException(failure.code(), failure.message(), failure)
          : e;
    }
  }

  /** Requests splits; cancels the task if the dispatcher does not know it any more. */
  private TakeSplitsResponse call(TakeSplitsRequest request) {
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

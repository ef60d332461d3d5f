package io.headrace.worker;

import io.headrace.dataset.execute.SplitProvider;
import io.headrace.dataset.execute.SplitRun;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RangeCode;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The splits of one source, taken from the dispatcher for one task: as many at a time as keep it
 * busy for some time, or one by one from a stock dispatcher. Used by one thread at a time.
 *
 * <p>Where what this worker leaves behind is made again, that time is seconds, and the next splits
 * are asked for when half of the last ones are used up, so that the work goes on while the
 * dispatcher starts anew. Where it is lost, it is a tenth of a second, and none are asked for
 * ahead.
 */
final class DispatchedSplits implements SplitProvider {
  private static final Duration WORK_THAT_IS_LOST = Duration.ofMillis(100);

  /** Half of it is more than a dispatcher's start takes. */
  private static final Duration WORK_THAT_IS_REMADE = Duration.ofSeconds(6);

  private static final int MOST_GROWTH = 8;

  private final DispatcherClient dispatcher;
  private final TaskDef task;
  private final int index;
  private final Ticker ticker;
  private final Cancellation cancellation;
  private final boolean tracked;
  private final boolean remade;
  private final Deque<SplitRun> taken = new ArrayDeque<>();

  /** Of splits that were taken, the records that are not to be made again. */
  private final Map<Split, LongSet> received = new ConcurrentHashMap<>();

  private long repetition;
  private long requests;
  private long asked = 1;

  /** Of the last answer: how many it gave, how many of them are left, and when it was begun. */
  private long given;

  private long left;
  private long begunNanos;

  /** The answer that follows; null if it was not asked for yet. */
  private @Nullable CompletableFuture<Optional<TakeSplitsResponse>> ahead;

  private volatile boolean exhausted;

  private record Split(long source, long number) {}

  /** The splits of the source {@code index} of {@code task}. */
  DispatchedSplits(
      DispatcherClient dispatcher,
      TaskDef task,
      int index,
      Ticker ticker,
      boolean tracked,
      boolean remade,
      Cancellation cancellation) {
    this.dispatcher = dispatcher;
    this.tracked = tracked;
    this.remade = remade;
    this.task = task;
    this.index = index;
    this.ticker = ticker;
    this.cancellation = cancellation;
  }

  /**
   * For each source of {@code task}, its splits.
   *
   * @param tracked whether rows are to say which records they were made of
   * @param remade whether others make what this worker takes and does not deliver
   */
  static List<SplitProvider> of(
      DispatcherClient dispatcher,
      TaskDef task,
      Ticker ticker,
      boolean tracked,
      boolean remade,
      Cancellation cancellation) {
    List<SplitProvider> providers = new ArrayList<>();
    for (int i = 0; i < task.getNumSplitProviders(); i++) {
      providers.add(
          new DispatchedSplits(dispatcher, task, i, ticker, tracked, remade, cancellation));
    }
    return providers;
  }

  @Override
  public @Nullable SplitRun next(long max) {
    if (taken.isEmpty() && !take()) {
      return null;
    }
    if (remade && ahead == null && left < given && left <= given / 2) {
      TakeSplitsRequest request = request();
      ahead =
          CompletableFuture.supplyAsync(
              () -> Optional.ofNullable(ask(request)), Thread::startVirtualThread);
    }
    SplitRun run = taken.removeFirst();
    if (run.count() > max) {
      taken.addFirst(
          new SplitRun(run.value(max), run.step(), run.count() - max, run.number() + max));
      run = new SplitRun(run.first(), run.step(), max, run.number());
    }
    left -= run.count();
    return run;
  }

  @Override
  public void reset() {
    repetition++;
    taken.clear();
    // If it was asked for, it was of the repetition that is over.
    ahead = null;
    given = 0;
    left = 0;
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
    @Nullable TakeSplitsResponse response = ahead == null ? ask(request()) : await(ahead);
    ahead = null;
    begunNanos = ticker.nanoTime();
    given = 0;
    left = 0;
    if (response == null) {
      return takeOne();
    }
    if (response.getEndOfSplits()) {
      exhausted = response.getEndOfTask();
      return false;
    }
    given = response.getNumSplits();
    left = given;
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
      taken.add(new SplitRun(response.getFirst(), response.getStep(), given, number));
    }
    return true;
  }

  /** For as many as are used up in the time that is to be bridged, at the present rate. */
  private TakeSplitsRequest request() {
    if (given > left) {
      asked = adapted(given - left, ticker.nanoTime() - begunNanos);
    }
    return TakeSplitsRequest.newBuilder()
        .setTaskId(task.getTaskId())
        .setSplitProviderIndex(index)
        .setRepetition(repetition)
        .setMaxSplits(asked)
        .setRequestNumber(++requests)
        .build();
  }

  /** Whoever asks tries on no longer than the task lives. */
  private static @Nullable TakeSplitsResponse await(
      CompletableFuture<Optional<TakeSplitsResponse>> answer) {
    try {
      return answer.join().orElse(null);
    } catch (CompletionException e) {
      throw e.getCause() instanceof StatusException failure
          ? new StatusException(failure.code(), failure.message(), failure)
          : e;
    }
  }

  /** Asks for splits; ends the task if the dispatcher knows of no part of it in the work. */
  private @Nullable TakeSplitsResponse ask(TakeSplitsRequest request) {
    try {
      return dispatcher.takeSplits(request, cancellation);
    } catch (StatusException e) {
      if (e.code() == StatusCode.NOT_FOUND) {
        cancellation.cancel();
      }
      throw e;
    }
  }

  /** How many to ask for, when {@code count} were used up in {@code nanos}. */
  private long adapted(long count, long nanos) {
    double perNano = (double) count / Math.max(1, nanos);
    Duration work = remade ? WORK_THAT_IS_REMADE : WORK_THAT_IS_LOST;
    return (long) Math.clamp(perNano * work.toNanos(), 1, (double) given * MOST_GROWTH);
  }

  /** From a dispatcher that hands out one split at a time. */
  private boolean takeOne() {
    GetSplitRequest request =
        GetSplitRequest.newBuilder()
            .setIterationId(task.getIterationId())
            .setRepetition(repetition)
            .setSplitProviderIndex(index)
            .build();
    GetSplitResponse response = dispatcher.getSplit(request, cancellation);
    if (response.getEndOfSplits()) {
      return false;
    }
    Tensor split = TensorProtos.read(response.getSplit());
    if (split.dtype() != DataType.INT64 || split.elements() != 1) {
      throw StatusException.of(
          StatusCode.UNIMPLEMENTED,
          "task %d was given the split %s of its source %d; only int64 scalars are supported",
          task.getTaskId(),
          split,
          index);
    }
    taken.add(new SplitRun(split.integer(0), 1, 1, 0));
    given = 1;
    left = 1;
    return true;
  }
}

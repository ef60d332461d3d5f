package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.IterationSources;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.Remainder;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.dispatcher.state.SplitProgress;
import io.headrace.dispatcher.state.SplitRange;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.GroupRecords;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.proto.headrace.journal.SplitsTaken;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decisions on requests for splits. Each split of a source is handed out once per repetition. A
 * request for an earlier repetition than the source's current one comes too late, and gets the end
 * of splits.
 */
public final class SplitDecisions {
  /** Random values and file names are sent one by one, so an answer's size grows with them. */
  private static final long MAX_NAMED_SPLITS = 1024;

  /** Divisor of a worker's share, which leaves splits for the other workers near the end. */
  private static final int SHARES_OF_A_WORKER = 4;

  /** TensorFlow's GetSplit: the next split, for a worker that does not name its task. */
  public Decision<GetSplitResponse> next(
      DispatcherState state, GetSplitRequest split, Caller caller) {
    long iterationId = split.getIterationId();
    Iteration iteration =
        state
            .iterations()
            .find(iterationId)
            .orElseThrow(() ->
                StatusException.of(StatusCode.NOT_FOUND, "Iteration id %d not found", iterationId));
    if (iteration.job().processingMode().getShardingPolicy() != ShardingPolicy.DYNAMIC) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Cannot get split for iteration id %d, since it is not a distributed_epoch iteration",
          iterationId);
    }
    if (iteration.job().remakes()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "iteration id %d is read %s, and TensorFlow's GetSplit does not name the task",
          iterationId,
          iteration.job().guarantee());
    }
    SplitsTaken request =
        SplitsTaken.newBuilder()
            .setIterationId(iterationId)
            .setSplitProviderIndex(split.getSplitProviderIndex())
            .setRepetition(split.getRepetition())
            .build();
    requireStockWorker(state, caller);
    return take(iteration, request, 1)
        .map(taken -> stockResponse(iteration, split.getSplitProviderIndex(), taken));
  }

  private static GetSplitResponse stockResponse(
      Iteration iteration, long provider, TakeSplitsResponse taken) {
    if (taken.getEndOfSplits()) {
      return GetSplitResponse.newBuilder().setEndOfSplits(true).build();
    }
    SplitSource source = iteration.splits().sources().get((int) provider);
    return GetSplitResponse.newBuilder().setSplit(value(source, taken.getFirstSplit())).build();
  }

  /** The value of split {@code number} of {@code source}, as TensorFlow's workers take it. */
  static TensorProto value(SplitSource source, long number) {
    Tensor value;
    if (source.getNamed()) {
      value = Tensor.scalar(source.getFiles((int) number).getName());
    } else if (source.hasRandomSeed()) {
      value = Tensor.scalar(random(source.getRandomSeed(), number));
    } else {
      value = Tensor.scalar(source.getFirst() + number * source.getStep());
    }
    return TensorProtos.write(value);
  }

  private static void requireStockWorker(DispatcherState state, Caller caller) {
    boolean isWorker =
        caller.isInProcess()
            || state.workers().all().stream()
                .anyMatch(worker -> worker.isStock() && caller.isOf(worker));
    if (!isWorker) {
      throw StatusException.of(
          StatusCode.PERMISSION_DENIED,
          "GetSplit is for registered workers, and none of them has registered from %s",
          caller.host());
    }
  }

  /** TakeSplits: a range of splits, for a Headrace worker. */
  public Decision<TakeSplitsResponse> take(
      DispatcherState state, TakeSplitsRequest request, Caller caller) {
    Task task =
        state
            .iterations()
            .findTask(request.getTaskId())
            .filter(Task::isActive)
            .orElseThrow(() ->
                StatusException.of(
                    StatusCode.NOT_FOUND, "Task id %d is not active", request.getTaskId()));
    WorkerDecisions.requireWorkerOf(state, task, caller, "TakeSplits");
    Iteration iteration = state.iterations().of(task);
    Optional<SplitsTaken> last =
        iteration.splits().lastTaken(task.id(), request.getSplitProviderIndex());
    if (last.isPresent() && last.get().getRequestNumber() == request.getRequestNumber()) {
      return Decision.answer(response(iteration, last.get()));
    }
    if (last.isPresent() && last.get().getRequestNumber() > request.getRequestNumber()) {
      // The worker has gone on to a later request, so the splits in this answer would be lost.
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "request %d of task %d for splits of source %d comes late: it was followed by request %d",
          request.getRequestNumber(),
          task.id(),
          request.getSplitProviderIndex(),
          last.get().getRequestNumber());
    }
    SplitsTaken taken =
        SplitsTaken.newBuilder()
            .setIterationId(iteration.id())
            .setSplitProviderIndex(request.getSplitProviderIndex())
            .setRepetition(request.getRepetition())
            .setTaskId(task.id())
            .setRequestNumber(request.getRequestNumber())
            .build();
    return take(iteration, taken, request.getMaxSplits());
  }

  private static Decision<TakeSplitsResponse> take(
      Iteration iteration, SplitsTaken request, long max) {
    if (iteration.isFinished()) {
      return Decision.answer(END);
    }
    requireSource(iteration, request.getSplitProviderIndex());
    requireAllHaveCome(iteration);
    Optional<SplitAccounts> accounts = iteration.accounts();
    Optional<Remainder> remainder = accounts.flatMap(of -> of.remainderOf(request.getTaskId()));
    if (remainder.isPresent()) {
      return takeAgain(iteration, remainder.get(), request, max);
    }
    return takeNew(iteration, accounts, request, max);
  }

  private static void requireSource(Iteration iteration, long provider) {
    int sources = iteration.splits().sources().size();
    if (provider < 0 || provider >= sources) {
      throw StatusException.invalidArgument(
          "split_provider_index must be 0 to %d in iteration %d, got %d",
          sources - 1, iteration.id(), provider);
    }
  }

  /**
   * Before all readers of a group have joined, a worker could make records that a late member's
   * token has.
   */
  private static void requireAllHaveCome(Iteration iteration) {
    if (iteration.isAwaiting()) {
      Readers readers = iteration.readers().orElseThrow();
      throw StatusException.of(
          StatusCode.UNAVAILABLE,
          "iteration %d waits for the readers that resume together: %d of %d have joined",
          iteration.id(),
          readers.arrived().size(),
          readers.awaited());
    }
  }

  /** Splits of a remainder, for the task that makes it. */
  private static Decision<TakeSplitsResponse> takeAgain(
      Iteration iteration, Remainder remainder, SplitsTaken request, long max) {
    long provider = request.getSplitProviderIndex();
    Optional<SplitsTaken> last = iteration.splits().lastTaken(request.getTaskId(), provider);
    long repetition =
        last.map(taken -> taken.getRepetition() + (taken.getNumSplits() == 0 ? 1 : 0)).orElse(0L);
    long next =
        last.filter(taken -> taken.getNumSplits() > 0)
            .map(taken -> taken.getFirstSplit() + taken.getNumSplits())
            .orElse(0L);
    IterationSources sources = new IterationSources(iteration.splits().sources());
    long from = repetition == request.getRepetition() ? next : 0;
    if (request.getRepetition() < repetition) {
      return Decision.answer(end(remainder, sources, request));
    }
    long asked = sources.number(request.getRepetition(), provider);
    long at = sources.number(repetition, provider);
    boolean left =
        iteration.job().isExactlyOnce()
            && asked > at
            && (!remainder.next(at, next).isEmpty() || remainder.hasBetween(sources, at, asked));
    if (left) {
      throw tooEarly(request);
    }
    SplitRange run = remainder.next(asked, from);
    return taken(
        iteration, request, run, Math.min(max, mostAtATime(sources.list().get((int) provider))));
  }

  private static Decision<TakeSplitsResponse> taken(
      Iteration iteration, SplitsTaken request, SplitRange run, long most) {
    SplitsTaken taken =
        request.toBuilder()
            .setFirstSplit(run.from())
            .setNumSplits(Math.min(run.length(), most))
            .build();
    return new Decision<>(List.of(JournalRecords.of(taken)), response(iteration, taken));
  }

  /** The next new splits, or the first ones of a later repetition. */
  private static Decision<TakeSplitsResponse> takeNew(
      Iteration iteration, Optional<SplitAccounts> accounts, SplitsTaken request, long max) {
    SplitProgress progress = iteration.splits();
    int provider = (int) request.getSplitProviderIndex();
    if (request.getRepetition() < progress.repetition(provider)) {
      return Decision.answer(END);
    }
    SplitSource source = progress.sources().get(provider);
    if (accounts.isPresent() && iteration.job().isExactlyOnce()) {
      requireNoneLeft(accounts.get(), progress, request);
    }
    long first = progress.nextSplit(provider, request.getRepetition());
    SplitRange run =
        accounts.isEmpty()
            ? new SplitRange(first, source.getCount())
            : accounts
                .get()
                .nextFree(
                    accounts.get().sources().number(request.getRepetition(), provider), first);
    return taken(
        iteration,
        request,
        run,
        Math.min(max, share(iteration, source, source.getCount() - run.from())));
  }

  /** Requires the current repetition to be handed out completely before the next one begins. */
  private static void requireNoneLeft(
      SplitAccounts accounts, SplitProgress progress, SplitsTaken request) {
    int provider = (int) request.getSplitProviderIndex();
    long at = progress.repetition(provider);
    if (request.getRepetition() == at) {
      return;
    }
    long next = progress.nextSplit(provider, at);
    boolean left = !accounts.nextFree(accounts.sources().number(at, provider), next).isEmpty();
    if (left || request.getRepetition() > at + 1) {
      throw tooEarly(request);
    }
  }

  private static StatusException tooEarly(SplitsTaken request) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "repetition %d of source %d begins when repetition %d has come to its end",
        request.getRepetition(),
        request.getSplitProviderIndex(),
        request.getRepetition() - 1);
  }

  /**
   * The most splits that one worker may take at a time.
   *
   * @param iteration the iteration
   * @param source the split source
   * @param left the number of splits not handed out yet
   */
  private static long share(Iteration iteration, SplitSource source, long left) {
    if (source.hasRandomSeed()) {
      return Math.min(mostAtATime(source), left);
    }
    long workers = Math.max(1, iteration.numActive());
    long share = Math.min(left, Math.max(1, left / workers / SHARES_OF_A_WORKER));
    return Math.min(share, mostAtATime(source));
  }

  private static long mostAtATime(SplitSource source) {
    return source.hasRandomSeed() || source.getFilesCount() > 0 ? MAX_NAMED_SPLITS : Long.MAX_VALUE;
  }

  private static final TakeSplitsResponse END =
      TakeSplitsResponse.newBuilder().setEndOfSplits(true).build();

  private static TakeSplitsResponse response(Iteration iteration, SplitsTaken taken) {
    IterationSources sources = new IterationSources(iteration.splits().sources());
    Optional<SplitAccounts> accounts = iteration.accounts();
    Optional<Remainder> remainder = accounts.flatMap(of -> of.remainderOf(taken.getTaskId()));
    if (taken.getNumSplits() == 0) {
      return remainder.map(of -> end(of, sources, taken)).orElse(END);
    }
    SplitSource source = iteration.splits().sources().get((int) taken.getSplitProviderIndex());
    TakeSplitsResponse.Builder response =
        TakeSplitsResponse.newBuilder()
            .setNumSplits(taken.getNumSplits())
            .setFirstSplit(taken.getFirstSplit());
    if (source.getGrouped() && accounts.isPresent()) {
      response.addAllReceived(
          received(
              remainder.map(Remainder::received).orElse(accounts.get().taken()), sources, taken));
    }
    if (source.getFilesCount() > 0) {
      int first = (int) taken.getFirstSplit();
      response.addAllFiles(
          source.getFilesList().subList(first, first + (int) taken.getNumSplits()));
    }
    if (source.hasRandomSeed()) {
      for (long i = 0; i < taken.getNumSplits(); i++) {
        response.addValues(random(source.getRandomSeed(), taken.getFirstSplit() + i));
      }
      return response.setFirst(response.getValues(0)).build();
    }
    return response
        .setFirst(source.getFirst() + taken.getFirstSplit() * source.getStep())
        .setStep(source.getStep())
        .build();
  }

  /** The records of the handed-out splits that are not to be made again. */
  private static List<GroupRecords> received(
      RecordSet records, IterationSources sources, SplitsTaken taken) {
    long source = sources.number(taken.getRepetition(), taken.getSplitProviderIndex());
    LongSet splits = new LongSet();
    splits.addRange(taken.getFirstSplit(), taken.getFirstSplit() + taken.getNumSplits());
    return records.within(Map.of(source, splits)).toProto().getSourcesList().stream()
        .flatMap(of -> of.getGroupsList().stream())
        .toList();
  }

  private static TakeSplitsResponse end(
      Remainder remainder, IterationSources sources, SplitsTaken request) {
    return TakeSplitsResponse.newBuilder()
        .setEndOfSplits(true)
        .setEndOfTask(
            !remainder.hasLater(sources, request.getRepetition(), request.getSplitProviderIndex()))
        .build();
  }

  /**
   * The {@code index}th random number of {@code seed}, from 0 to 2^32 - 1: the upper half of
   * SplitMix64 (Steele, Lea and Flood, 2014).
   */
  private static long random(long seed, long index) {
    long z = seed + (index + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return (z ^ (z >>> 31)) >>> 32;
  }
}

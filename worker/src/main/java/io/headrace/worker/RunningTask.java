package io.headrace.worker;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.ChunkPacer;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.PassProgress;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.proto.headrace.TraceOrder;
import io.headrace.proto.headrace.TracedTask;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.Cancellation.Registration;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.time.SystemTicker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A task of an iteration on this worker: one pass over the task's dataset, whose rows its readers
 * share. Its thread starts with the first reader and ends with the last row. Thread-safe.
 */
final class RunningTask {
  private static final Logger LOGGER = System.getLogger(RunningTask.class.getName());

  /** The bound on queued rows. */
  private static final long QUEUE_BYTES = 8 << 20;

  private static final String PASS_ENDED = "no element will come: the task's pass has ended";

  private final long incarnation;
  private volatile TaskDef definition;
  private final TaskEnvironment environment;
  private final RowQueue rows;
  private final RowCompressor compressor;
  private final @Nullable ConsumerRounds rounds;
  private final @Nullable CrossTrainerCache cache;
  private final Cancellation cancellation = new Cancellation();
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile boolean compressed;

  /** The splits of a task whose work is lost with its worker. */
  private volatile List<LeavingSplits> lastSplits = List.of();

  private volatile boolean leaving;
  private volatile @Nullable TaskMeasurement measurement;
  private volatile PassProgress progress = new PassProgress();
  private volatile @Nullable RowTrace trace;
  private long lastTrace;
  private volatile long firstPosition;
  private volatile long rowsWithoutError;

  RunningTask(TaskDef definition, TaskEnvironment environment) {
    this.definition = definition;
    this.environment = environment;
    this.incarnation = environment.newRandom().nextLong();
    this.compressor = new RowCompressor(environment.codecs());
    long id = definition.getTaskId();
    this.rows = new RowQueue(environment.host().ticker(), QUEUE_BYTES, this::ended);
    this.rounds =
        definition.hasNumConsumers()
            ? new ConsumerRounds(rows, definition.getNumConsumers(), this::ensureStarted)
            : null;
    this.cache =
        definition.getUseCrossTrainerCache() && rounds == null
            ? new CrossTrainerCache(rows, compressor, environment.cacheRoom())
            : null;
    // If the task cancels itself because the dispatcher does not know it any more, its readers get
    // a retriable failure.
    var _ =
        cancellation.onCancel(() ->
            stop(
                new StatusException(
                    StatusCode.UNAVAILABLE, "task " + id + " has no part in the work any more")));
  }

  private void ended() {
    environment.onEnd().ended(id(), !rows.isIncomplete());
  }

  TaskDef definition() {
    return definition;
  }

  /** Whether {@code other} defines the same task of the same iteration. */
  boolean isDefinedBy(TaskDef other) {
    return withoutDataset(definition).equals(withoutDataset(other));
  }

  private static TaskDef withoutDataset(TaskDef definition) {
    return definition.toBuilder().clearDataset().build();
  }

  long id() {
    return definition.getTaskId();
  }

  /**
   * The number that distinguishes this pass over the dataset from those of earlier tasks of this
   * id.
   */
  long incarnation() {
    return incarnation;
  }

  RowQueue rows() {
    return rows;
  }

  /** In a coordinated read, the rounds of its consumers; otherwise null. */
  @Nullable ConsumerRounds rounds() {
    return rounds;
  }

  /** The window that several trainers read, if its job has one; otherwise null. */
  @Nullable CrossTrainerCache cache() {
    return cache;
  }

  RowCompressor compressor() {
    return compressor;
  }

  /** Whether GetElement sends elements compressed; known once rows are produced. */
  boolean isCompressed() {
    return compressed;
  }

  /**
   * Handles the first position of an opening. If the task is not started yet, the rows before it
   * are not queued, and not even produced where the dataset can skip them; otherwise they are sent,
   * and readers skip them.
   *
   * @throws StatusException INVALID_ARGUMENT if the task's rows are not the same in each pass
   */
  void beginAt(TaskOpening opening) {
    if (opening.firstPosition() == 0) {
      return;
    }
    if (cache != null) {
      throw StatusException.invalidArgument(
          "task %d can't begin at position %d: its trainers read what its cache holds",
          id(), opening.firstPosition());
    }
    if (definition.getProcessingModeDef().getShardingPolicy() == ShardingPolicy.DYNAMIC) {
      throw StatusException.invalidArgument(
          "task %d can't begin at position %d: which rows are before it depends on the splits that"
              + " it is given",
          id(), opening.firstPosition());
    }
    rowsWithoutError = opening.rowsWithoutError();
    firstPosition = opening.firstPosition();
  }

  /** Starts to load the dataset and produce its rows, unless it is started. Does not block. */
  void ensureStarted() {
    if (!started.get() && started.compareAndSet(false, true) && !cancellation.isCancelled()) {
      Thread.ofPlatform().daemon().name("task-" + id()).start(this::run);
    }
  }

  /**
   * Prepares for the worker to leave: hands out nothing that can be made again elsewhere, and where
   * nothing can be, begins no more splits and goes on to the end of those that it has begun.
   */
  void leave() {
    leaving = true;
    rows.leave();
    lastSplits.forEach(LeavingSplits::endSoon);
  }

  /**
   * Whether the worker can leave: the task's readers have what they are to get, or there are none,
   * and nobody would take the rest.
   */
  boolean canBeLeft() {
    return !started.get() || rows.isDrained() || !rows.hasReaders();
  }

  /** Whether readers have all elements of the splits that would be lost with the worker. */
  boolean hasDrainedSplits() {
    return !lastSplits.isEmpty() && rows.isDrained();
  }

  /** Where the time of the task's present pass goes; empty before it begins. */
  Optional<TaskStages> stages() {
    @Nullable TaskMeasurement present = measurement;
    return present == null
        ? Optional.empty()
        : Optional.of(
            present
                .sums()
                .setTaskId(id())
                .setBuffer(rows.sums())
                .setErrorsIgnored(errorsIgnored())
                .build());
  }

  /** How long an element took in the task's present pass, on average; 0 if that is not known. */
  double nanosPerRow() {
    @Nullable TaskMeasurement present = measurement;
    return present == null ? 0 : present.nanosPerRow();
  }

  /** How many elements failed in the task's present pass and were left out by ignore_errors. */
  long errorsIgnored() {
    return progress.elementsIgnored();
  }

  /**
   * Traces the next row that the task makes, in the place of an earlier trace; does nothing if it
   * does that already, or has done it.
   *
   * @param report gets the trace, once, on a thread of its own
   */
  void trace(TraceOrder order, Consumer<TracedTask> report) {
    @Nullable RowTrace earlier;
    RowTrace begun;
    synchronized (this) {
      if (order.getTrace() == lastTrace) {
        return;
      }
      lastTrace = order.getTrace();
      earlier = trace;
      begun =
          new RowTrace(
              order,
              environment.host().ticker(),
              SystemTicker.INSTANCE,
              cache != null,
              (ended, message) -> report(ended, message, report));
      // The queue first: the pass's thread may make the row, and a reader take it, at once.
      rows.trace(begun);
      trace = begun;
    }
    if (earlier != null) {
      earlier.abandon();
    }
    @Nullable TaskMeasurement present = measurement;
    if (present != null) {
      begun.attach(present.user());
      if (present.hasEnded()) {
        begun.passEnded(PASS_ENDED);
      }
    }
    environment
        .stageTimer()
        .after(Duration.ofMillis(order.getDeadlineMs()), () -> begun.giveUp(idleState()));
  }

  private void report(RowTrace ended, RowTrace.Report message, Consumer<TracedTask> report) {
    Thread.ofVirtual()
        .name("worker-trace")
        .start(() -> {
          untrace(ended);
          report.accept(message.message());
        });
  }

  private synchronized void untrace(RowTrace ended) {
    if (trace == ended) {
      trace = null;
      rows.trace(null);
    }
  }

  /** The trace of a row under way; mostly null. */
  @Nullable RowTrace trace() {
    return trace;
  }

  /** Why no stage of the pass is at work. */
  private String idleState() {
    if (!started.get()) {
      return "no reader has asked its worker for elements yet";
    }
    if (!rows.isProducing()) {
      return "its worker opens the dataset";
    }
    return rows.producerIsWaiting()
        ? "the worker's buffer is full, and no reader takes elements out of it"
        : "no stage is at work";
  }

  /** The last report of announced deliveries; empty without announcements. */
  Optional<TaskDeliveries> lastDeliveries() {
    AnnouncedRows.@Nullable Announcement last = rows.lastAnnouncement();
    return last == null ? Optional.empty() : Optional.of(last.toProto(id()));
  }

  /** Ends the task for good: readers get {@code reason}, and its thread ends soon after. */
  void cancel(StatusException reason) {
    stop(reason);
    cancellation.cancel();
  }

  private void stop(StatusException reason) {
    rows.stop(reason);
    if (cache != null) {
      cache.stop(reason);
    }
    @Nullable RowTrace ended = trace;
    if (ended != null) {
      ended.taskEnded("the task has ended: " + reason.message());
    }
  }

  private void run() {
    WorkerHost host = environment.host();
    try (Resources resources = new Resources();
        RemoteDevices devices = host.pinnable()) {
      StepContext step = new StepContext(id(), host.device(), resources, cancellation, devices);
      TaskMeasurement measured = TaskMeasurement.begin(incarnation, environment.stageTimer());
      measurement = measured;
      @Nullable RowTrace earlier = trace;
      if (earlier != null) {
        earlier.attach(measured.user());
      }
      try {
        run(step, measured);
      } finally {
        measured.end();
        @Nullable RowTrace ended = trace;
        if (ended != null) {
          ended.passEnded(PASS_ENDED);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failToRead(new StatusException(StatusCode.CANCELLED, "the task was interrupted", e));
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      failToRead(statusOf(e));
    }
  }

  private void run(StepContext step, TaskMeasurement measured) throws InterruptedException {
    ChunkIterator iterator = open(step, measured);
    try (Registration _ = cancellation.onCancel(iterator::close)) {
      long begin = firstPosition;
      long position = passOver(iterator, begin);
      rows.begin();
      produce(iterator, position, begin);
    } finally {
      iterator.close();
      progress.ignoredErrors().end(environment.host().ticker());
    }
  }

  private ChunkIterator open(StepContext step, TaskMeasurement measured) {
    TaskDataset dataset = environment.loader().load(definition, step);
    compressed = dataset.compressed();
    switch (dataset.guarantee()) {
      case EXACTLY_ONCE -> rows.holdRows();
      case AT_LEAST_ONCE -> rows.noteDeliveries(environment.deliveries().apply(id()));
      case AT_MOST_ONCE, GUARANTEE_UNSPECIFIED, UNRECOGNIZED -> {}
    }
    if (dataset.announces()) {
      var announcing = new DeliveryAnnouncer.AnnouncingTask(id(), rows, cancellation::cancel);
      rows.announce(dataset.maxAhead(), () -> environment.announcements().accept(announcing));
    } else if (dataset.maxAhead().isPositive() && cache == null) {
      rows.limitAhead(dataset.maxAhead());
    }
    if (cache != null) {
      cache.open(compressed);
    }
    // Consumers that read in step all leave a task in one round, and trainers that read at their
    // own pace have no common end, so neither waits for the task's.
    boolean hasAnEnd = rounds == null && cache == null;
    if (dataset.guarantee() == Guarantee.AT_MOST_ONCE && !dataset.announces() && hasAnEnd) {
      lastSplits =
          dataset.splits().stream()
              .flatMap(of -> of instanceof LeavingSplits last ? Stream.of(last) : Stream.empty())
              .toList();
      rows.drainBeforeLeaving(!lastSplits.isEmpty());
    }
    if (leaving) {
      leave();
    }
    WorkerHost host = environment.host();
    IteratorContext context =
        new IteratorContext(
            step,
            host.ticker(),
            environment.newRandom(),
            environment.threads(),
            Runtime.getRuntime().availableProcessors(),
            host.bufferBytes());
    progress = context.progress();
    return context
        .withSplits(dataset.splits())
        .measuredFor(measured.user())
        .open(dataset.dataset());
  }

  /**
   * Handles a failure to read the dataset: it fails the waiters, and the next reader retries. Once
   * rows were produced, such a failure is a bug and ends the task.
   */
  private void failToRead(StatusException failure) {
    if (rows.isProducing()) {
      LOGGER.log(Level.ERROR, "task " + id() + " ended wrongly", failure);
      rows.end();
    } else {
      rows.fail(failure, () -> started.set(false));
    }
  }

  /**
   * Skips rows before {@code begin} that need not be produced.
   *
   * @return their number
   */
  private long passOver(ChunkIterator iterator, long begin) {
    long count = Math.min(rowsWithoutError, begin);
    try {
      return count == 0 ? 0 : iterator.passOver(count);
    } catch (StatusException e) {
      throw e.in("Failed to pass over " + count + " rows that were taken before");
    }
  }

  /** Queues the rows from position {@code begin} on; drops those from {@code first} to it. */
  private void produce(ChunkIterator iterator, long first, long begin) throws InterruptedException {
    ChunkPacer pacer = new ChunkPacer(RowQueue.MAX_FRAME_BYTES);
    long position = first;
    while (awaitRoom()) {
      long wanted = position < begin ? begin - position : rows.room();
      @Nullable StreamItem item =
          next(iterator, pacer, (int) Math.min(pacer.rows(), wanted), position);
      if (item == null && rounds != null) {
        rows.put(new StreamItem.RowFailure(position, ConsumerRounds.endOfSequence()));
        return;
      }
      if (item == null) {
        Origins dropped = iterator.rest();
        if (!dropped.isEmpty()) {
          rows.put(new StreamItem.Dropped(position, dropped));
        }
        definition = withoutDataset(definition);
        if (lastSplits.stream().anyMatch(LeavingSplits::endedEarly)) {
          rows.endEarly();
        } else {
          rows.end();
        }
        return;
      }
      if (position >= begin) {
        @Nullable RowTrace traced = trace;
        if (traced != null && item instanceof StreamItem.Rows(Chunk chunk)) {
          traced.made(chunk);
        }
        rows.put(item);
      }
      position += item.rows();
    }
  }

  private boolean awaitRoom() throws InterruptedException {
    @Nullable RowTrace before = trace;
    long since = before == null ? 0 : environment.host().ticker().nanoTime();
    boolean room = rows.awaitRoom();
    @Nullable RowTrace behind = trace;
    if (behind != null) {
      behind.waitedForRoom(behind == before ? since : behind.begunNanos());
    }
    return room;
  }

  private @Nullable StreamItem next(
      ChunkIterator iterator, ChunkPacer pacer, int maxRows, long position) {
    try {
      @Nullable RowTrace traced = trace;
      if (traced != null) {
        traced.begins();
      }
      long begun = environment.host().ticker().nanoTime();
      @Nullable Chunk chunk = iterator.next(maxRows);
      if (chunk == null) {
        return null;
      }
      long taken = environment.host().ticker().nanoTime() - begun;
      pacer.took(chunk.rows(), taken, chunk.byteSize());
      return new StreamItem.Rows(chunk.withPosition(position));
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      return new StreamItem.RowFailure(position, statusOf(e));
    }
  }

  private StatusException statusOf(Throwable failure) {
    return switch (failure) {
      case StatusException e -> e;
      case OutOfMemoryError e ->
          new StatusException(StatusCode.RESOURCE_EXHAUSTED, "the worker ran out of memory", e);
      default -> {
        LOGGER.log(Level.ERROR, "task " + id() + " failed", failure);
        yield new StatusException(StatusCode.INTERNAL, "internal error", failure);
      }
    };
  }
}

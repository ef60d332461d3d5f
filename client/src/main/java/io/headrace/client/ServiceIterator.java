package io.headrace.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.ManagedChannel;
import io.headrace.client.ReadStatistics.LossReason;
import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.PassProgress;
import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.ReleaseIterationClientRequest;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.LostTask;
import io.headrace.proto.headrace.RepetitionRecords;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.rpc.HeartbeatTimer;
import io.headrace.rpc.LocalWorkers;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamOptions;
import io.headrace.rpc.StreamReader;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A pass over a service dataset: reads an iteration as one of its clients. */
final class ServiceIterator
    implements ChunkIterator, IterationWatch.Listener, Receipts.Listener, PassProgress.Resumable {
  /*
   * The reading thread polls the task readers in turn and sleeps on `arrived` when none has an
   * item. Each arrival increments `arrivals`, so that none is missed between a poll and the sleep.
   * The watch replaces the task list as a whole, under the lock.
   *
   * Lock order: `lock`, the locks of receipts, those of task readers, `arrival`.
   */

  private static final System.Logger LOGGER = System.getLogger(ServiceIterator.class.getName());
  private static final String STREAM = "stream";
  private static final String GRPC = "grpc";
  private static final String LOCAL = "local";
  private static final Duration RELEASE_DEADLINE = Duration.ofSeconds(1);

  /** The dataset; from {@link #join} on with its target workers, before the watch starts. */
  private ServiceDataset dataset;

  private final @Nullable RequestBudget budget;
  private final long repetition;
  private final IteratorContext context;
  private final Cancellation cancellation;
  private final Random random;
  private final Cancellation.Registration wakeOnCancel;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("service-reader").factory());
  private final ReadingReporter reporter;
  private final TraceReporter traces;
  private final HeartbeatTimer metronome = HeartbeatTimer.start();

  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock arrival = new ReentrantLock();
  private final Condition arrived = arrival.newCondition();

  @GuardedBy("lock")
  private final Map<Long, LostTask> lostTasks = new LinkedHashMap<>();

  @GuardedBy("lock")
  private final Set<Long> reportedLosses = new HashSet<>();

  private volatile boolean lossesDue;

  @GuardedBy("lock")
  private Map<Long, TaskReader> readers = new LinkedHashMap<>();

  private volatile List<TaskReader> order = List.of();
  private volatile List<String> silentWorkers = List.of();

  /** The workers whose tasks other readers read. */
  private volatile List<String> othersWorkers = List.of();

  private final ReaderGroup group;

  /** It has returned rows, or it was told that there were none. */
  private boolean isTold;

  /** It has returned all rows of the pass. */
  private volatile boolean hasEnded;

  @GuardedBy("arrival")
  private long arrivals;

  @GuardedBy("lock")
  private boolean iterationFinished;

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private boolean suspended;

  @GuardedBy("lock")
  private @Nullable StatusException failure;

  private @Nullable DispatcherClient dispatcher;
  private @Nullable IterationWatch watch;
  private long clientId;
  private long sourcesFingerprint;
  private DatasetOutline outline = DatasetOutline.getDefaultInstance();
  private volatile @Nullable DeliveryLease lease;
  private volatile @Nullable Receipts receipts;
  private volatile @Nullable CopyProgress copies;
  private volatile String orderObstacle = "";
  private int turn;
  private @Nullable Chunk current;
  private @Nullable TaskReader currentReader;

  /** Whether nothing has come since {@link #drySinceNanos}, of which some warnings told. */
  private boolean isDry;

  private long drySinceNanos;
  private int dryWarnings;

  ServiceIterator(ServiceDataset dataset, long repetition, IteratorContext context) {
    this.dataset = dataset;
    this.budget =
        dataset.maxOutstandingRequests().isPresent()
            ? new RequestBudget(dataset.maxOutstandingRequests().getAsLong())
            : null;
    this.repetition = repetition;
    this.group =
        new ReaderGroup(
            dataset.session().resumption().filter(of -> of.waitsForAll(repetition)).isPresent());
    this.context = context;
    this.reporter = new ReadingReporter(timer, context.ticker());
    this.traces = new TraceReporter(context.ticker());
    this.random = new Random(context.random().nextLong());
    this.cancellation = context.step().cancellation().child();
    this.wakeOnCancel = cancellation.onCancel(this::wake);
    context.progress().register(this);
  }

  @Override
  public void taken(Origins origins) {
    Receipts tracked = receipts;
    if (tracked != null) {
      tracked.take(origins);
    }
  }

  @Override
  public void awaitDelivery() {
    DeliveryLease held = lease;
    if (held == null || !held.hasLapsed()) {
      return;
    }
    LOGGER.log(Level.WARNING, () -> "nothing more is read: " + held);
    for (long seen = arrivals(); held.hasLapsed(); seen = arrivals()) {
      checkOpen();
      if (held.hasLapsed()) {
        await(seen, () -> "the dispatcher at " + dataset.address() + " does not answer");
      }
    }
  }

  @Override
  public CheckpointProto checkpoint(RecordSet taken) {
    if (dispatcher == null) {
      // Before the first element: the token of a reader that has taken nothing.
      checkOpen();
      join();
    }
    CopyProgress progress = copies;
    if (progress != null) {
      return progress.checkpoint(taken, lost());
    }
    Receipts tracked = receipts;
    if (tracked == null) {
      throw notResumable();
    }
    tracked.addDropped(taken);
    dataset.session().resumed().ifPresent(before -> addResumed(before, taken));
    CheckpointProto.Builder about =
        CheckpointProto.newBuilder()
            .setGuarantee(Guarantee.EXACTLY_ONCE.toProto())
            .addReaders(dataset.session().readerId())
            .setSourcesFingerprint(sourcesFingerprint)
            .setOutline(outline)
            .setJob(dataset.jobName().orElse(""))
            .addRepetitions(
                RepetitionRecords.newBuilder()
                    .setRepetition(repetition)
                    .setTaken(taken.toProto())
                    .addReaders(dataset.session().readerId()));
    dataset.session().resumption().ifPresent(before -> before.addTo(about, repetition));
    return Checkpoint.of(about).toProto();
  }

  private Set<Long> lost() {
    lock.lock();
    try {
      return Set.copyOf(lostTasks.keySet());
    } finally {
      lock.unlock();
    }
  }

  private StatusException notResumable() {
    if (isParallelEpochs() && clientId != 0) {
      return StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "this pass can't be resumed, for its rows may come in another order the next time: %s",
          orderObstacle);
    }
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "only what is read exactly once can be resumed, and this is read %s: %s",
        dataset.statistics().guarantee().map(Enum::name).orElse("by nobody yet"),
        dataset.statistics().guaranteeReason());
  }

  private boolean isParallelEpochs() {
    return dataset.processingMode().getShardingPolicy() == ShardingPolicy.OFF;
  }

  /** Adds the records that the resumed checkpoint has of this pass. */
  private void addResumed(CheckpointProto before, RecordSet taken) {
    for (RepetitionRecords of : before.getRepetitionsList()) {
      if (of.getRepetition() == repetition) {
        taken.addAll(RecordSet.of(of.getTaken()));
      }
    }
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    if (dispatcher == null) {
      join();
    }
    while (current == null) {
      long seen = arrivals();
      checkOpen();
      boolean found = pollReaders();
      if (lossesDue) {
        reportLosses(false);
      }
      if (!found) {
        if (isAtEnd()) {
          tellIfEmpty();
          hasEnded = true;
          return null;
        }
        if (current == null) {
          await(seen, this::silenceReason);
        }
      }
    }
    awaitDelivery();
    return takeRows(current, maxRows);
  }

  /** Warns once if there was nothing for this reader of a job that others may have read. */
  private void tellIfEmpty() {
    if (!isTold) {
      isTold = true;
      dataset.jobName().ifPresent(job -> log().gotNothing(clientId, repetition, job));
    }
  }

  private Chunk takeRows(Chunk chunk, int maxRows) {
    isTold = true;
    isDry = false;
    int rows = Math.min(maxRows, chunk.rows());
    Chunk taken = chunk.slice(0, rows);
    current = rows == chunk.rows() ? null : chunk.slice(rows, chunk.rows());
    TaskReader reader = currentReader;
    if (reader != null) {
      reader.consumed(taken.position(), rows);
      dataset.statistics().read(taken, reader.task().getWorkerAddress());
      reporter.returned(rows);
      traces.handsOver(reader.task().getTaskId(), taken);
    }
    return taken;
  }

  /** Joins the job's iteration as one of its clients. */
  private void join() {
    DispatcherClient client =
        DispatcherClient.open(
            dataset.address(),
            context.ticker(),
            random,
            cancellation,
            dataset.session().contactTimeout());
    dispatcher = client;
    dataset.session().contacted();
    dataset = dataset.placed(client, cancellation);
    requireWorkers();
    DeliveryLease held = new DeliveryLease(dataset.session().ticker().orElse(context.ticker()));
    lease = held;
    long askedNanos = held.nanoTime();
    IterationJoin.Place joined = new IterationJoin(dataset, repetition, cancellation).join(client);
    clientId = joined.clientId();
    context.progress().readsFromWorkers();
    sourcesFingerprint = joined.sourcesFingerprint();
    outline = joined.outline();
    dataset.statistics().guaranteed(joined.guarantee(), joined.reason());
    log().joins(clientId, dataset, repetition, joined.told());
    if (isParallelEpochs() && sourcesFingerprint != 0) {
      copies = new CopyProgress(repetition, joined, dataset.session().resumed());
    }
    orderObstacle = joined.orderObstacle().isEmpty() ? joined.reason() : joined.orderObstacle();
    held.answered(askedNanos, joined.clientTimeoutMillis());
    if (joined.guarantee() == Guarantee.EXACTLY_ONCE) {
      Receipts begun =
          new Receipts(
              client,
              clientId,
              dataset.jobName().isPresent(),
              cancellation,
              context.ticker(),
              held,
              this);
      receipts = begun;
      begun.start();
    }
    traces.start(client, clientId);
    var _ = metronome.register(this::letOthersEnd);
    IterationWatch started =
        new IterationWatch(
            client, clientId, dataset.taskRefreshInterval(), timer, cancellation, this);
    watch = started;
    started.start();
    reporter.start(client, clientId);
  }

  /** Stock clients, too, require the worker to be there before the first element is read. */
  private void requireWorkers() {
    if (dataset.targetWorkers() == TargetWorkers.LOCAL && LocalWorkers.areNone()) {
      throw StatusException.invalidArgument(
          "Local reads require local tf.data workers, but no local worker is found: start a"
              + " WorkerServer in this process, or read from other target workers than LOCAL");
    }
  }

  private ReadingLog log() {
    return dataset.session().log(context.ticker(), dataset.jobName());
  }

  private long arrivals() {
    arrival.lock();
    try {
      return arrivals;
    } finally {
      arrival.unlock();
    }
  }

  private void checkOpen() {
    lock.lock();
    try {
      if (failure != null) {
        // Without its cause: the message has all, and the cause only the frames of a transport's
        // thread.
        throw new StatusException(failure.code(), failure.message());
      }
      if (closed || cancellation.isCancelled()) {
        throw new StatusException(StatusCode.CANCELLED, "the iterator was closed");
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Polls the task readers in turn.
   *
   * @return whether a task had an item. Rows are in `current` now; the failure of a row is thrown.
   *     Behind rows that were dropped, the task may have ended without another arrival.
   */
  private boolean pollReaders() {
    List<TaskReader> tasks = order;
    boolean found = false;
    for (int i = 0; i < tasks.size(); i++) {
      TaskReader reader = tasks.get((turn + i) % tasks.size());
      switch (poll(reader)) {
        case StreamItem.Rows(Chunk chunk) -> {
          turn = (turn + i + 1) % tasks.size();
          current = numbered(dataset.checked(chunk, reader.task().getWorkerAddress()), reader);
          currentReader = reader;
          return true;
        }
        case StreamItem.RowFailure(long position, StatusException failed) -> {
          turn = (turn + i + 1) % tasks.size();
          reader.consumed(position, 1);
          CopyProgress progress = copies;
          if (progress != null) {
            progress.failed(reader.task().getTaskId(), position);
          }
          throw failed;
        }
        case StreamItem.Dropped dropped -> {
          reader.consumed(dropped.position(), 1);
          found = true;
        }
        case StreamItem.End _ -> {}
        case null -> {}
      }
    }
    return found;
  }

  private @Nullable StreamItem poll(TaskReader reader) {
    Receipts tracked = receipts;
    try {
      return tracked == null ? reader.poll() : tracked.receive(reader);
    } catch (StatusException e) {
      failed(e);
      throw e;
    } finally {
      countIgnored(reader);
    }
  }

  /** Counts the elements that ignore_errors has left out on the worker of {@code reader}. */
  private void countIgnored(TaskReader reader) {
    dataset.countIgnored(reader.newErrorsIgnored(), context);
  }

  private Chunk numbered(Chunk chunk, TaskReader reader) {
    return copies == null ? chunk : CopyProgress.numbered(chunk, reader.task().getTaskId());
  }

  private boolean isAtEnd() {
    lock.lock();
    try {
      return (iterationFinished || endsWithItsTasks())
          && order.stream().allMatch(TaskReader::hasEnded);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether the reader ends when it has read its tasks, though other readers go on. Where lost
   * elements are made again, a task of another worker may come to the reader's worker.
   */
  @GuardedBy("lock")
  private boolean endsWithItsTasks() {
    return !othersWorkers.isEmpty()
        && !order.isEmpty()
        && dataset.statistics().guarantee().equals(Optional.of(Guarantee.AT_MOST_ONCE));
  }

  private void await(long seen, Supplier<String> reason) {
    reporter.beginWait();
    if (!isDry) {
      isDry = true;
      drySinceNanos = context.ticker().nanoTime();
      dryWarnings = 0;
    }
    arrival.lock();
    try {
      while (arrivals == seen) {
        long dryNanos = context.ticker().nanoTime() - drySinceNanos;
        long moreNanos = DispatcherClient.warnedNanos(dryWarnings) - dryNanos;
        if (moreNanos > 0) {
          var _ = arrived.awaitNanos(moreNanos);
        } else {
          dryWarnings++;
          arrival.unlock(); // the reason asks the task readers, whose locks come before this one
          try {
            warn(TimeUnit.NANOSECONDS.toSeconds(dryNanos), reason);
          } finally {
            arrival.lock();
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "interrupted while waiting", e);
    } finally {
      arrival.unlock();
      dataset.statistics().waited(reporter.endWait());
    }
  }

  private void warn(long seconds, Supplier<String> reason) {
    IterationWatch of = watch;
    String absence = of == null ? "" : of.absence();
    LOGGER.log(
        Level.WARNING,
        () ->
            "waiting for elements for %d s: %s%s"
                .formatted(
                    seconds,
                    absence.isEmpty()
                        ? ""
                        : "the dispatcher at %s does not answer (%s), and "
                            .formatted(dataset.address(), absence),
                    reason.get()));
  }

  private String silenceReason() {
    Optional<String> missing = group.missing();
    if (missing.isPresent()) {
      return missing.get();
    }
    if (!othersWorkers.isEmpty() && order.stream().allMatch(TaskReader::hasEnded)) {
      return "workers " + othersWorkers + " have elements for the readers in their processes";
    }
    if (order.isEmpty()) {
      return "no worker has a task of the iteration";
    }
    if (!silentWorkers.isEmpty()) {
      return "workers " + silentWorkers + " do not answer";
    }
    List<String> workers = workers();
    return workers.isEmpty()
        ? ReadingLog.haveEnded(servingWorkers(), dataset.jobName())
        : ReadingLog.sentNone(workers, dataset.jobName());
  }

  /** The workers of the tasks that have ended, and that were not lost. */
  private List<String> servingWorkers() {
    Set<Long> lost = lost();
    return order.stream()
        .filter(reader -> !lost.contains(reader.task().getTaskId()))
        .map(reader -> reader.task().getWorkerAddress())
        .distinct()
        .toList();
  }

  private List<String> workers() {
    return order.stream()
        .filter(reader -> !reader.hasEnded())
        .map(reader -> reader.task().getWorkerAddress())
        .toList();
  }

  private void wake() {
    arrival.lock();
    try {
      arrivals++;
      arrived.signalAll();
    } finally {
      arrival.unlock();
    }
  }

  // The watch's callbacks.

  @Override
  public void changed(WatchIterationResponse state) {
    // New readers are opened on the timer's thread: opening may resolve names.
    lock.lock();
    try {
      if (closed) {
        return;
      }
      state.getLostTasksList().forEach(lost -> lostTasks.putIfAbsent(lost.getTaskId(), lost));
      lossesDue = reportedLosses.size() < lostTasks.size();
      group.follow(state);
      if (!iterationFinished && !group.gathers()) {
        replaceTasks(state.getTaskInfoList());
      }
      if (receipts != null) {
        Map<Long, TaskReader> known = readers;
        receipts.settle(state.getSettlementsList(), known::get);
      }
      iterationFinished |= state.getIterationFinished();
      silentWorkers = List.copyOf(state.getSilentWorkersList());
      if (state.getUnservedSharesCount() > 0) {
        throw new StatusException(StatusCode.UNAVAILABLE, state.getUnservedShares(0));
      }
      for (TaskReader reader : order) {
        if (iterationFinished
            || state.getFinishedTaskIdsList().contains(reader.task().getTaskId())) {
          reader.finish();
        }
      }
    } catch (StatusException e) {
      failure = e;
    } finally {
      lock.unlock();
    }
    wake();
  }

  @GuardedBy("lock")
  private void replaceTasks(List<TaskInfo> tasks) {
    Map<Long, TaskReader> replaced = new LinkedHashMap<>();
    List<String> others = new ArrayList<>();
    for (TaskInfo task : tasks) {
      TaskReader known = readers.remove(task.getTaskId());
      if (known != null || dataset.targetWorkers().include(task)) {
        replaced.put(task.getTaskId(), known != null ? known : newReader(task));
      } else {
        others.add(task.getWorkerAddress());
      }
    }
    othersWorkers = List.copyOf(others);
    for (TaskReader left : readers.values()) {
      long taskId = left.task().getTaskId();
      if (lostTasks.containsKey(taskId) && !reportedLosses.contains(taskId)) {
        left.lose();
        replaced.put(taskId, left);
      } else if (left.retire()) {
        replaced.put(taskId, left);
      } else {
        left.close();
        countIgnored(left);
      }
    }
    dataset.statistics().addTasks(replaced.size() - order.size());
    readers = replaced;
    order = List.copyOf(replaced.values());
  }

  /**
   * Claims rows that have arrived and that the user has not asked for, where other readers wait for
   * the end of a task until they are acknowledged; or confirms that they have arrived.
   */
  private void letOthersEnd() {
    for (TaskReader reader : order) {
      try {
        timer.execute(reader.holdsUpOthers() ? () -> claim(reader) : reader::confirm);
      } catch (RejectedExecutionException e) {
        LOGGER.log(Level.TRACE, "the reader is being closed", e);
      }
    }
  }

  private void claim(TaskReader reader) {
    Receipts tracked = receipts;
    if (tracked == null) {
      var _ = reader.claim();
    } else {
      tracked.claim(reader);
    }
  }

  private TaskReader newReader(TaskInfo task) {
    DataTransferServerInfo server = chooseTransfer(task);
    log().begins(clientId, task);
    TaskReader reader =
        new TaskReader(
            task,
            connect(server),
            clientId,
            dataset.trainerId(),
            (opened, opening) -> openSource(opened, opening, server),
            timer,
            new Backoff(random),
            this::wake);
    CopyProgress progress = copies;
    if (progress != null) {
      reader.passOver(
          progress.begin(
              task.getTaskId(), task.getWorkerAddress(), !server.getProtocol().equals(GRPC)));
    }
    timer.execute(reader::open);
    return reader;
  }

  /**
   * By GetElement a reader can't say that it leaves: for its worker it is there until its
   * connection closes.
   */
  private static ConnectionPool.Connection connect(DataTransferServerInfo server) {
    return server.getProtocol().equals(GRPC)
        ? ConnectionPool.SHARED.openBriefly(server.getAddress())
        : ConnectionPool.SHARED.open(server.getAddress());
  }

  private DataTransferServerInfo chooseTransfer(TaskInfo task) {
    if (dataset.transfer() == Transfer.LOCAL) {
      return localServer(task.getWorkerAddress());
    }
    for (DataTransferServerInfo server : task.getTransferServersList()) {
      if (server.getProtocol().equals(STREAM) && dataset.transfer() != Transfer.GRPC) {
        return server;
      }
    }
    for (DataTransferServerInfo server : task.getTransferServersList()) {
      if (server.getProtocol().equals(GRPC) && dataset.transfer() != Transfer.STREAM) {
        return server;
      }
    }
    throw StatusException.of(
        StatusCode.NOT_FOUND,
        "Protocol '%s' is not available for worker '%s'.",
        dataset.transfer() == Transfer.STREAM ? STREAM : GRPC,
        task.getWorkerAddress());
  }

  private static DataTransferServerInfo localServer(String worker) {
    if (LocalWorkers.find(worker).isEmpty()) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Worker %s is not in this process, so it can't be read by the protocol '%s'.",
          worker,
          LOCAL);
    }
    return DataTransferServerInfo.newBuilder().setProtocol(LOCAL).setAddress(worker).build();
  }

  private TaskSource openSource(
      ManagedChannel channel, TaskOpening opening, DataTransferServerInfo server) {
    if (server.getProtocol().equals(LOCAL)) {
      return new LocalSource(
          server.getAddress(),
          opening,
          this::wake,
          mark -> traces.received(opening.taskId(), mark));
    }
    if (server.getProtocol().equals(STREAM)) {
      return TaskSource.of(
          StreamReader.open(
              channel,
              opening,
              StreamOptions.DEFAULT,
              context.ticker(),
              metronome,
              this::wake,
              mark -> traces.received(opening.taskId(), mark)));
    }
    UnarySource source =
        new UnarySource(
            channel, opening.taskId(), opening.trainerId(), random.nextLong(), budget, this::wake);
    source.start();
    return source;
  }

  /**
   * Reports lost tasks, each once, when its arrived rows were read and so its final position is
   * known.
   *
   * @param all whether to report those still being read, too
   */
  private void reportLosses(boolean all) {
    boolean madeAgain =
        !dataset.statistics().guarantee().equals(Optional.of(Guarantee.AT_MOST_ONCE));
    List<ReadStatistics.LostTask> due = new ArrayList<>();
    lock.lock();
    try {
      for (LostTask lost : lostTasks.values()) {
        TaskReader reader = readers.get(lost.getTaskId());
        if ((all || reader == null || reader.hasEnded()) && reportedLosses.add(lost.getTaskId())) {
          long read = reader == null ? 0 : reader.reached();
          long position = Math.max(read, lost.getPosition());
          if (position == 0 && lostNothing(lost)) {
            continue;
          }
          due.add(
              new ReadStatistics.LostTask(
                  lost.getWorkerAddress(),
                  lost.getTaskId(),
                  position,
                  lost.hasNumSplits() && !madeAgain
                      ? OptionalLong.of(lost.getNumSplits())
                      : OptionalLong.empty(),
                  lost.hasNumElements()
                      ? OptionalLong.of(lost.getNumElements())
                      : OptionalLong.empty(),
                  reason(lost.getReason()),
                  madeAgain));
        }
      }
      lossesDue = reportedLosses.size() < lostTasks.size();
    } finally {
      lock.unlock();
    }
    for (ReadStatistics.LostTask lost : due) {
      dataset.statistics().lost(lost);
      log().loses(clientId, lost);
    }
  }

  /**
   * Whether nothing is missing with a task that gave nothing: it had taken no splits, or its worker
   * has come back and makes the same part from its beginning. A task may be given to a worker that
   * has just died, before the process that takes its place has registered.
   */
  @GuardedBy("lock")
  private boolean lostNothing(LostTask lost) {
    if (dataset.processingMode().getShardingPolicy() == ShardingPolicy.DYNAMIC) {
      return lost.hasNumSplits() && lost.getNumSplits() == 0;
    }
    for (TaskReader reader : readers.values()) {
      TaskInfo task = reader.task();
      if (task.getWorkerAddress().equals(lost.getWorkerAddress())
          && !lostTasks.containsKey(task.getTaskId())) {
        return true;
      }
    }
    return false;
  }

  private static LossReason reason(io.headrace.proto.headrace.LossReason told) {
    return switch (told) {
      case WORKER_LEFT -> LossReason.WORKER_LEFT;
      case READER_GONE -> LossReason.READER_GONE;
      case RECORDS_RESUMED -> LossReason.RECORDS_RESUMED;
      case WORKER_LOST, UNRECOGNIZED -> LossReason.WORKER_LOST;
    };
  }

  @Override
  public void answered() {
    lock.lock();
    try {
      if (suspended && !closed) {
        suspended = false;
        order.forEach(reader -> timer.execute(reader::resume));
      }
    } finally {
      lock.unlock();
    }
    wake();
  }

  /**
   * Suspends all task readers, so that rows in flight to this reader do not keep others from
   * reaching the end.
   */
  @Override
  public void longSilent() {
    lock.lock();
    try {
      if (!suspended && !closed) {
        suspended = true;
        order.forEach(TaskReader::suspend);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Fails the pass and closes all task readers: workers need not hold rows for this reader. */
  @Override
  public void failed(StatusException e) {
    DeliveryLease held = lease;
    boolean silent = held != null && held.hasLapsed();
    StatusException explained =
        silent && e.code() == StatusCode.FAILED_PRECONDITION
            ? e.in("this reader was declared lost, as " + held)
            : e;
    lock.lock();
    try {
      if (failure == null) {
        failure = explained;
      }
    } finally {
      lock.unlock();
    }
    order.forEach(TaskReader::close);
    wake();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    context.progress().end(this);
    if (watch != null) {
      watch.close();
    }
    reportLosses(true);
    if (receipts != null) {
      receipts.close();
    }
    if (dispatcher != null && clientId != 0) {
      reporter.last(dispatcher, clientId, RELEASE_DEADLINE);
    }
    release();
    cancellation.cancel();
    wakeOnCancel.close();
    timer.shutdownNow();
    for (TaskReader reader : order) {
      reader.close();
      countIgnored(reader);
    }
    dataset.statistics().addTasks(-order.size());
    metronome.close();
    if (dispatcher != null) {
      dispatcher.close();
    }
    wake();
  }

  /**
   * Releases the iteration client at the dispatcher, without retries, as stock clients do, and even
   * if the step is cancelled.
   */
  private void release() {
    DispatcherClient client = dispatcher;
    if (client == null || clientId == 0) {
      return;
    }
    log().leaves(clientId, repetition, hasEnded);
    try {
      client.callOnce(
          DispatcherServiceGrpc.getReleaseIterationClientMethod(),
          ReleaseIterationClientRequest.newBuilder().setIterationClientId(clientId).build(),
          new Cancellation(),
          RELEASE_DEADLINE);
    } catch (StatusException e) {
      LOGGER.log(Level.DEBUG, () -> "client " + clientId + " was not released: " + e.getMessage());
    }
  }
}

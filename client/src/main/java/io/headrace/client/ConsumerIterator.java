package io.headrace.client;

import io.grpc.CallOptions;
import io.headrace.client.ReadStatistics.LossReason;
import io.headrace.client.ReadStatistics.LostTask;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.MaybeRemoveTaskRequest;
import io.headrace.proto.data.ReleaseIterationClientRequest;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One pass of a consumer that reads in step with others, by TensorFlow's protocol alone: stock
 * consumers may be among the others. It asks for an element when its user does, and waits for the
 * others to ask for theirs. {@link #next} belongs to one thread; {@link #close} may be called from
 * any.
 */
final class ConsumerIterator implements ChunkIterator {
  private static final System.Logger LOGGER = System.getLogger(ConsumerIterator.class.getName());
  private static final Duration RELEASE_DEADLINE = Duration.ofSeconds(1);

  private final ServiceDataset dataset;
  private final ConsumerPlace consumer;
  private final long repetition;
  private final IteratorContext context;
  private final Random random;
  private final Cancellation cancellation;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("service-consumer").factory());

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // Guarded by the lock.
  private final ConsumerTurns turns = new ConsumerTurns();
  private boolean finished;
  private boolean closed;

  private volatile boolean hasEnded;
  private @Nullable StatusException failure;

  private @Nullable DispatcherClient dispatcher;
  private long clientId;

  ConsumerIterator(
      ServiceDataset dataset, ConsumerPlace consumer, long repetition, IteratorContext context) {
    this.dataset = dataset;
    this.consumer = consumer;
    this.repetition = repetition;
    this.context = context;
    random = new Random(context.random().nextLong());
    cancellation = context.step().cancellation().child();
    var _ = cancellation.onCancel(this::wake);
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    @Nullable DispatcherClient joined = dispatcher;
    if (joined == null) {
      joined = join();
    }
    while (true) {
      ConsumerTurns.@Nullable Turn turn = awaitTurn();
      if (turn == null) {
        hasEnded = true;
        return null;
      }
      @Nullable GetElementResponse response = read(joined, turn);
      if (response != null && !response.getSkipTask() && !response.getEndOfSequence()) {
        String worker = turn.task().info().getWorkerAddress();
        Chunk chunk = dataset.checked(Chunk.ofElement(UnarySource.components(response)), worker);
        turn.task().elements++;
        dataset.statistics().read(chunk, worker);
        return chunk;
      }
    }
  }

  private DispatcherClient join() {
    ReadSession session = dataset.session();
    if (session.resumed().isPresent()
        || session.strictNames()
        || session.guarantee().filter(wanted -> wanted != Guarantee.AT_MOST_ONCE).isPresent()) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "what consumers read in step is read at most once: it has no other guarantee, no"
              + " checkpoints, and no strict names");
    }
    DispatcherClient client =
        DispatcherClient.open(
            dataset.address(), context.ticker(), random, cancellation, session.contactTimeout());
    dispatcher = client;
    session.contacted();
    if (dataset.placed(client, cancellation).targetWorkers() == TargetWorkers.LOCAL) {
      ConsumerPlace.requireRemote(Optional.of(consumer));
    }
    GetOrCreateJobRequest.Builder job =
        GetOrCreateJobRequest.newBuilder()
            .setDatasetId(dataset.datasetId())
            .setProcessingModeDef(dataset.processingMode())
            .setTargetWorkers(dataset.targetWorkers().toProto())
            .setNumConsumers(consumer.count());
    dataset.jobName().ifPresent(job::setJobName);
    long jobId =
        client
            .call(DispatcherServiceGrpc.getGetOrCreateJobMethod(), job.build(), cancellation)
            .getJobId();
    clientId =
        client
            .call(
                DispatcherServiceGrpc.getGetOrCreateIterationMethod(),
                GetOrCreateIterationRequest.newBuilder()
                    .setJobId(jobId)
                    .setRepetition(repetition)
                    .build(),
                cancellation)
            .getIterationClientId();
    context.progress().readsFromWorkers();
    dataset.statistics().guaranteed(Guarantee.AT_MOST_ONCE, "consumers read it in step");
    log()
        .joins(
            clientId,
            dataset,
            repetition,
            "in step, by consumer %d of %d".formatted(consumer.index(), consumer.count()));
    long period = dataset.taskRefreshInterval().toMillis();
    var _ = timer.scheduleWithFixedDelay(() -> heartbeat(client), 0, period, TimeUnit.MILLISECONDS);
    return client;
  }

  private void heartbeat(DispatcherClient client) {
    ClientHeartbeatRequest request;
    lock.lock();
    try {
      request = turns.heartbeat(clientId);
    } finally {
      lock.unlock();
    }
    @Nullable ClientHeartbeatResponse response = null;
    @Nullable StatusException broken = null;
    try {
      response =
          client.callOnce(DispatcherServiceGrpc.getClientHeartbeatMethod(), request, cancellation);
    } catch (StatusException e) {
      if (e.code().isRetriable()) {
        LOGGER.log(Level.DEBUG, () -> "the dispatcher does not answer: " + e.getMessage());
        return;
      }
      broken = e;
    }
    lock.lock();
    try {
      if (response != null) {
        finished |= response.getIterationFinished();
        turns.follow(response);
      } else {
        failure = broken;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the next turn; null at the end. */
  private ConsumerTurns.@Nullable Turn awaitTurn() {
    lock.lock();
    try {
      while (true) {
        checkOpen();
        ConsumerTurns.@Nullable Turn turn = finished ? null : turns.take();
        if (turn != null || finished) {
          return turn;
        }
        changed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  private void checkOpen() {
    if (failure != null) {
      throw new StatusException(failure.code(), failure.message(), failure);
    }
    if (closed || cancellation.isCancelled()) {
      throw new StatusException(StatusCode.CANCELLED, "the iterator was closed");
    }
  }

  /** Takes a turn; null if the task was removed instead. */
  private @Nullable GetElementResponse read(DispatcherClient client, ConsumerTurns.Turn turn) {
    ConsumerTurns.Task task = turn.task();
    String worker = task.info().getWorkerAddress();
    for (int attempt = 0; ; attempt++) {
      cancellation.check();
      try {
        GetElementResponse response = ask(turn);
        task.skipped = response.getSkipTask();
        task.ignored.follow(response);
        dataset.countIgnored(task.ignored.takeNew(), context);
        if (response.getEndOfSequence()) {
          end(task);
        }
        return response;
      } catch (StatusException e) {
        if (!e.code().isRetriable() || cancellation.isCancelled()) {
          throw e.in("Failed to get element from worker " + worker);
        }
      }
      if (attempt > 0 && isRemoved(client, turn)) {
        end(task);
        lose(task);
        return null;
      }
      DispatcherClient.sleep(client.backoff().nanos(attempt), cancellation);
    }
  }

  private GetElementResponse ask(ConsumerTurns.Turn turn) {
    GetElementRequest request =
        GetElementRequest.newBuilder()
            .setTaskId(turn.task().info().getTaskId())
            .setConsumerIndex(consumer.index())
            .setRoundIndex(turn.round())
            .setSkippedPreviousRound(turn.task().skipped)
            .setAllowSkip(true)
            .build();
    try (ConnectionPool.Connection connection =
        ConnectionPool.SHARED.open(turn.task().info().getWorkerAddress())) {
      return DispatcherClient.await(
          connection
              .channel()
              .newCall(WorkerServiceGrpc.getGetElementMethod(), CallOptions.DEFAULT),
          request,
          cancellation);
    }
  }

  /** Asks, like all other consumers, to remove a task whose worker does not answer. */
  private boolean isRemoved(DispatcherClient client, ConsumerTurns.Turn turn) {
    return client
        .call(
            DispatcherServiceGrpc.getMaybeRemoveTaskMethod(),
            MaybeRemoveTaskRequest.newBuilder()
                .setTaskId(turn.task().info().getTaskId())
                .setConsumerIndex(consumer.index())
                .setRound(turn.round())
                .build(),
            cancellation)
        .getRemoved();
  }

  /** Reports a task that all consumers have given up. */
  private void lose(ConsumerTurns.Task task) {
    LostTask lost =
        new LostTask(
            task.info().getWorkerAddress(),
            task.info().getTaskId(),
            task.elements,
            OptionalLong.empty(),
            OptionalLong.empty(),
            LossReason.WORKER_LOST,
            false);
    dataset.statistics().lost(lost);
    log().loses(clientId, lost);
  }

  private ReadingLog log() {
    return dataset.session().log(context.ticker(), dataset.jobName());
  }

  private void end(ConsumerTurns.Task task) {
    lock.lock();
    try {
      task.end();
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
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
    cancellation.cancel();
    timer.shutdownNow();
    @Nullable DispatcherClient client = dispatcher;
    if (client != null) {
      release(client);
      client.close();
    }
    wake();
  }

  /** Gives up the place in the iteration, without retries, as stock clients do. */
  private void release(DispatcherClient client) {
    if (clientId == 0) {
      return;
    }
    log().leaves(clientId, repetition, hasEnded);
    try {
      var _ =
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

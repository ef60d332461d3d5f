package io.headrace.worker;

import io.headrace.proto.data.ActiveTask;
import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.TaskPosition;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Registers a worker with its dispatcher and then sends heartbeats with the worker's tasks and
 * streams of snapshots; adds and deletes them as the replies say.
 */
final class HeartbeatLoop implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(HeartbeatLoop.class.getName());

  /** The value in TensorFlow's open-source builds. */
  private static final long WORKER_UID = -1;

  private static final Duration MAX_BACKOFF = Duration.ofSeconds(1);
  private static final Duration WARN_PERIOD = Duration.ofSeconds(10);

  /** The least pause between heartbeats, however often others ask for one. */
  private static final Duration MIN_PAUSE = Duration.ofMillis(1);

  private final DispatcherStub dispatcher;
  private final WorkerConfig config;
  private final WorkerHost host;
  private final TaskTable tasks;
  private final SnapshotStreams snapshots;
  private final TaskTraces traces;
  private final long incarnation;
  private final WorkerLog log;
  private final Runnable leave;
  private final AtomicBoolean leaving = new AtomicBoolean();
  private final InterruptibleWait asked = new InterruptibleWait();
  private final InterruptibleWait pause = new InterruptibleWait();
  private volatile WorkerHeartbeatRequest identity = WorkerHeartbeatRequest.getDefaultInstance();

  /**
   * The heartbeats of a worker's process.
   *
   * @param dispatcher gets them
   * @param config the worker's configuration
   * @param host the process
   * @param tasks the worker's tasks
   * @param snapshots its streams of snapshots
   * @param traces traces elements of its tasks
   * @param incarnation the number of the process
   * @param log tells what begins and ends
   * @param leave called once, on a thread of heartbeats, when an operator drains the worker; must
   *     not block
   */
  HeartbeatLoop(
      DispatcherStub dispatcher,
      WorkerConfig config,
      WorkerHost host,
      TaskTable tasks,
      SnapshotStreams snapshots,
      TaskTraces traces,
      long incarnation,
      WorkerLog log,
      Runnable leave) {
    this.dispatcher = dispatcher;
    this.config = config;
    this.host = host;
    this.tasks = tasks;
    this.snapshots = snapshots;
    this.traces = traces;
    this.incarnation = incarnation;
    this.log = log;
    this.leave = leave;
  }

  /**
   * Registers the worker. While the dispatcher does not answer, it retries and logs warnings.
   *
   * @throws StatusException the reason if the dispatcher refuses the worker; DEADLINE_EXCEEDED if
   *     it does not answer for the configuration's {@link WorkerConfig#dispatcherTimeout};
   *     CANCELLED after {@link #close}
   */
  void register(String workerAddress, List<DataTransferServerInfo> transferServers) {
    identity =
        WorkerHeartbeatRequest.newBuilder()
            .setWorkerAddress(workerAddress)
            .addAllTransferServers(transferServers)
            .addAllWorkerTags(config.workerTags())
            .setWorkerUid(WORKER_UID)
            .build();
    retryUntilAnswered(
        () -> {
          dispatcher.checkVersion();
          beat();
        },
        nanos(config.dispatcherTimeout()));
    log.registered(workerAddress, dispatcher.address());
  }

  /** The nanoseconds of a timeout, which may mean for ever. */
  private static long nanos(Duration timeout) {
    return timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0
        ? timeout.toNanos()
        : Long.MAX_VALUE;
  }

  /** Starts the heartbeats, on a thread of their own. */
  void start() {
    Thread.ofPlatform().daemon().name("worker-heartbeat").start(this::run);
  }

  /** Sends the next heartbeat now: the dispatcher may have news. Does not block. */
  void hurry() {
    asked.poke();
  }

  @Override
  public void close() {
    pause.end();
    asked.end();
  }

  /** The worker's address and the number of its process, with which it leaves. */
  LeaveWorkerRequest.Builder leaving() {
    return LeaveWorkerRequest.newBuilder()
        .setWorkerAddress(identity.getWorkerAddress())
        .setIncarnation(incarnation);
  }

  private void run() {
    while (asked.await(config.heartbeatInterval()) && pause.await(MIN_PAUSE)) {
      try {
        retryUntilAnswered(this::beat, Long.MAX_VALUE);
      } catch (StatusException e) {
        if (e.code() != StatusCode.CANCELLED) {
          LOGGER.log(Level.WARNING, "the dispatcher refused a heartbeat: " + e.message());
        }
      }
    }
  }

  private void retryUntilAnswered(Runnable request, long atMostNanos) {
    Ticker ticker = host.ticker();
    RetryBackoff backoff = new RetryBackoff(MAX_BACKOFF);
    long startedNanos = ticker.nanoTime();
    long lastWarningNanos = startedNanos;
    boolean warned = false;
    while (true) {
      long leftNanos;
      try {
        request.run();
        if (warned) {
          log.answersAgain(dispatcher.address());
        }
        return;
      } catch (StatusException e) {
        if (!DispatcherStub.isTransient(e) || pause.hasEnded()) {
          throw e;
        }
        leftNanos = atMostNanos - (ticker.nanoTime() - startedNanos);
        if (leftNanos <= 0) {
          throw unanswered(e);
        }
        if (ticker.nanoTime() - lastWarningNanos >= WARN_PERIOD.toNanos()) {
          lastWarningNanos = ticker.nanoTime();
          warned = true;
          LOGGER.log(
              Level.WARNING,
              "waiting for the dispatcher at " + dispatcher.address() + ": " + e.message());
        }
      }
      Duration wait = Duration.ofNanos(Math.min(backoff.next().toNanos(), leftNanos));
      if (!pause.await(wait)) {
        throw new StatusException(StatusCode.CANCELLED, "the worker was stopped");
      }
    }
  }

  private StatusException unanswered(StatusException last) {
    return new StatusException(
        StatusCode.DEADLINE_EXCEEDED,
        "the dispatcher at %s %s within %d s: %s; is it running, and is this its"
                .formatted(
                    dispatcher.address(),
                    GrpcStatuses.isRefused(last) ? "took no connection" : "did not answer",
                    config.dispatcherTimeout().toSeconds(),
                    last.message())
            + " address? WorkerConfig.withDispatcherTimeout (--dispatcher-timeout-ms) sets how long"
            + " to wait",
        last);
  }

  private void beat() {
    ExtendedWorkerHeartbeatResponse response = dispatcher.heartbeat(request());
    log.end(tasks.delete(response.getTasksToDeleteList()));
    response.getNewTasksList().forEach(tasks::add);
    snapshots.assign(response.getSnapshotTasksList());
    response.getTracesList().forEach(traces::begin);
    if (response.getLeave() && leaving.compareAndSet(false, true)) {
      LOGGER.log(Level.INFO, "an operator drains this worker: it leaves");
      leave.run();
    }
  }

  private ExtendedWorkerHeartbeatRequest request() {
    WorkerHeartbeatRequest.Builder heartbeat = identity.toBuilder();
    ExtendedWorkerHeartbeatRequest.Builder request =
        ExtendedWorkerHeartbeatRequest.newBuilder()
            .setIncarnation(incarnation)
            .setTracksOrigins(true);
    for (RunningTask task : tasks.live()) {
      heartbeat
          .addCurrentTasks(task.id())
          .addActiveTasks(
              ActiveTask.newBuilder()
                  .setTaskId(task.id())
                  .setProcessingTimeNsec(task.nanosPerRow()));
      request.addTaskPositions(
          TaskPosition.newBuilder().setTaskId(task.id()).setPosition(task.rows().handedOutRows()));
    }
    heartbeat.putAllSnapshotTaskProgress(snapshots.progress());
    host.ops().ops().stream().map(Op::name).forEach(request::addKnownOps);
    return request.setHeartbeat(heartbeat).build();
  }
}

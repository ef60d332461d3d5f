package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.TaskPlanning;
import io.headrace.dispatcher.decide.WorkerDecisions;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Monitors the workers: probes each one every second for its tasks, declares silent ones lost, and
 * sends workers the tasks that they should have. Thread-safe.
 *
 * <p>A worker that registers, or reports after it was lost, is probed first. So an unreachable
 * worker gets no tasks and costs no more than the probe.
 */
final class WorkerMonitor {
  static final Duration PERIOD = Duration.ofSeconds(1);

  private static final Logger LOGGER = System.getLogger(WorkerMonitor.class.getName());
  private static final int MAX_ADMISSIONS = 64;

  /** Stock workers send a heartbeat every 30 s by default. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(2);

  private final CommitLoop loop;
  private final SoftState soft;
  private final WorkerNetwork network;
  private final WorkerDecisions decisions;
  private final IterationWatchers watchers;
  private final WorkerAddressList addresses;
  private final Duration workerTimeout;
  private final EventLog events;
  private final Semaphore admissions = new Semaphore(MAX_ADMISSIONS);

  WorkerMonitor(
      CommitLoop loop,
      SoftState soft,
      WorkerNetwork network,
      WorkerDecisions decisions,
      IterationWatchers watchers,
      WorkerAddressList addresses,
      Duration workerTimeout,
      EventLog events) {
    this.events = events;
    this.workerTimeout = workerTimeout;
    this.loop = loop;
    this.soft = soft;
    this.network = network;
    this.decisions = decisions;
    this.watchers = watchers;
    this.addresses = addresses;
  }

  /** Handles a worker's heartbeat. */
  CompletableFuture<ExtendedWorkerHeartbeatResponse> heartbeat(WorkerReport report) {
    return loop.submit((state, nowNanos) -> heartbeatOfKnown(state, report, nowNanos))
        .thenCompose(response ->
            response.map(CompletableFuture::completedFuture).orElseGet(() -> admit(report)));
  }

  /**
   * Sends each task to its worker. A task that could not be sent is sent again after the next
   * probe.
   */
  void send(List<TaskDef> tasks) {
    for (TaskDef task : tasks) {
      var _ = network.process(task).whenComplete((_, failure) -> sent(task, failure));
    }
  }

  /** Has a worker send its next heartbeat now, whose answer has news for it. */
  void hurry(RegisteredWorker worker) {
    if (!worker.isStock()) {
      // It sends heartbeats anyway.
      var _ = network.hurry(worker.address());
    }
  }

  private void sent(TaskDef task, @Nullable Throwable failure) {
    if (failure != null) {
      logUnsent(task, failure);
      return;
    }
    var _ =
        loop.submit((state, _) -> {
          soft.arePresent(state, task.getWorkerAddress(), Set.of(task.getTaskId()));
          return Decision.answer(true);
        });
  }

  /** The periodic check of all workers. */
  void tick() {
    var _ = loop.submit(this::decideTick);
    // Probes are a request of their own: a decision with records may run twice, a probe must not.
    var _ =
        loop.submit((_, _) -> Decision.answer(soft.workers().openProbes()))
            .whenComplete((probes, _) -> {
              if (probes != null) {
                probes.forEach(this::probe);
              }
            });
  }

  private Decision<Optional<ExtendedWorkerHeartbeatResponse>> heartbeatOfKnown(
      DispatcherState state, WorkerReport report, long nowNanos) {
    WorkerReport placed = placed(state, report);
    Optional<RegisteredWorker> known = state.workers().find(report.address());
    boolean isKnown = known.filter(worker -> isSameProcess(worker, report)).isPresent();
    if (!isKnown || !soft.workers().isAlive(report.address())) {
      return Decision.answer(Optional.empty());
    }
    soft.workers().heard(report.address());
    return decideHeartbeat(state, placed, nowNanos).map(Optional::of);
  }

  private static boolean isSameProcess(RegisteredWorker known, WorkerReport report) {
    return known.incarnation() == report.worker().incarnation() && report.caller().isOf(known);
  }

  private WorkerReport placed(DispatcherState state, WorkerReport report) {
    return report.at(addresses.place(report.address(), state.workers(), soft));
  }

  private Decision<ExtendedWorkerHeartbeatResponse> decideHeartbeat(
      DispatcherState state, WorkerReport report, long nowNanos) {
    soft.recordTasks(state, report, nowNanos);
    soft.workers().beats(report.address(), nowNanos);
    return decisions.heartbeat(state, soft, report);
  }

  private CompletableFuture<ExtendedWorkerHeartbeatResponse> admit(WorkerReport report) {
    if (!admissions.tryAcquire()) {
      return CompletableFuture.failedFuture(
          new StatusException(
              StatusCode.UNAVAILABLE, "too many workers are registering; try again"));
    }
    return confirm(report)
        .whenComplete((_, _) -> admissions.release())
        .handle((_, failure) -> failure)
        .thenCompose(failure -> failure == null ? register(report) : refuse(report, failure));
  }

  /**
   * Asks at the worker's address whether the heartbeat is from the process there. A stock worker
   * can't tell, so it must call from a host of that address if it takes the place of another one.
   */
  private CompletableFuture<Boolean> confirm(WorkerReport report) {
    String address = report.address();
    return report.worker().isStock()
        ? network.tasks(address).thenCompose(_ -> confirmStock(report))
        : network.confirm(address, report.worker().incarnation());
  }

  private CompletableFuture<Boolean> confirmStock(WorkerReport report) {
    return loop.submit((state, nowNanos) -> Decision.answer(rival(state, report, nowNanos)))
        .thenCompose(rival ->
            rival.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : replace(rival.get(), report));
  }

  /** The worker registered at the address of {@code report}, if it may be another one. */
  private Optional<RegisteredWorker> rival(
      DispatcherState state, WorkerReport report, long nowNanos) {
    return state
        .workers()
        .find(report.address())
        .filter(known -> !isSameProcess(known, report) && !report.caller().isInProcess())
        .filter(known ->
            !known.isStock()
                || soft.workers().sinceHeartbeat(known.address(), nowNanos) < FORGOTTEN.toNanos());
  }

  private CompletableFuture<Boolean> replace(RegisteredWorker known, WorkerReport report) {
    StatusException refusal = report.caller().refused("the heartbeat", report.address());
    CompletableFuture<Boolean> isGone =
        known.isStock()
            ? CompletableFuture.completedFuture(true)
            : network
                .confirm(known.address(), known.incarnation())
                .handle((_, failure) -> failure != null);
    return isGone
        .thenCombine(
            network.hosts(report.address()),
            (gone, hosts) -> gone && hosts.contains(report.caller().host()))
        .thenApply(may -> {
          if (!may) {
            throw refusal;
          }
          return true;
        });
  }

  private CompletableFuture<ExtendedWorkerHeartbeatResponse> register(WorkerReport report) {
    return loop.submit((state, nowNanos) -> {
      if (soft.workers().hasLeft(report.address(), report.worker().incarnation())) {
        return Decision.answer(ExtendedWorkerHeartbeatResponse.getDefaultInstance());
      }
      WorkerReport placed = placed(state, report);
      boolean isSame =
          state
              .workers()
              .find(report.address())
              .filter(known -> isSameProcess(known, report))
              .isPresent();
      if (soft.workers().answered(report.address()) && isSame) {
        events.answersAgain(report.address());
      }
      state.iterations().activeOn(report.address()).forEach(this::touch);
      return decideHeartbeat(state, placed, nowNanos);
    });
  }

  private CompletableFuture<ExtendedWorkerHeartbeatResponse> refuse(
      WorkerReport report, Throwable failure) {
    Throwable cause = UnaryCalls.cause(failure);
    if (StatusException.codeOf(cause) == StatusCode.PERMISSION_DENIED) {
      return CompletableFuture.failedFuture(cause);
    }
    CompletableFuture<Boolean> registered =
        loop.submit((state, _) -> Decision.answer(state.workers().contains(report.address())));
    return registered.thenApply(isRegistered -> {
      if (!isRegistered) {
        network.forget(report.address());
      }
      throw new StatusException(
          StatusCode.UNAVAILABLE,
          "worker "
              + report.address()
              + (GrpcStatuses.isRefused(cause)
                  ? " takes no connection of the dispatcher at the address that it advertises: "
                  : " does not answer the dispatcher at the address that it advertises: ")
              + cause.getMessage(),
          cause);
    });
  }

  private Decision<Boolean> decideTick(DispatcherState state, long nowNanos) {
    for (String address : soft.workers().tick(nowNanos)) {
      lost(state, address, "it was silent for " + WorkerLiveness.SILENCE.toSeconds() + " s");
    }
    List<JournalRecord> losses =
        new ArrayList<>(TaskPlanning.whenLost(state, soft, soft.workers().lost()));
    losses.addAll(WorkerDecisions.endsOfDrains(state, soft.workers().lost()));
    soft.shares().update(state, soft, workerTimeout, nowNanos).forEach(watchers::touch);
    List<RegisteredWorker> outsiders = addresses.outsiders(state.workers(), soft);
    return new Decision<>(WorkerDecisions.dismissals(state, soft, outsiders, losses), true);
  }

  private void probe(WorkerLiveness.Probe probe) {
    var _ =
        network
            .tasks(probe.address())
            .whenComplete((tasks, failure) -> {
              if (failure == null) {
                answered(probe, tasks);
              } else {
                unanswered(probe.address(), UnaryCalls.cause(failure));
              }
            });
  }

  private void answered(WorkerLiveness.Probe probe, Set<Long> tasks) {
    var _ = loop.submit((state, _) -> decideAnswered(state, probe, tasks)).thenAccept(this::send);
  }

  private Decision<List<TaskDef>> decideAnswered(
      DispatcherState state, WorkerLiveness.Probe probe, Set<Long> tasks) {
    String address = probe.address();
    Optional<RegisteredWorker> worker = state.workers().find(address);
    if (worker.isEmpty()) {
      return Decision.answer(List.of());
    }
    if (soft.hasLeft(worker.get())) {
      soft.workers().closeProbe(address);
      return Decision.answer(List.of());
    }
    boolean wasUnheard = soft.workers().isUnheard(address);
    boolean wasLost = soft.workers().answered(address);
    if (wasLost) {
      events.answersAgain(address);
      state.iterations().activeOn(address).forEach(this::touch);
    }
    Decision<List<TaskDef>> decision =
        decisions.answered(state, soft, worker.get(), probe.number(), wasLost || wasUnheard, tasks);
    soft.arePresent(state, address, tasks);
    if (worker.get().draining()) {
      hurry(worker.get());
    }
    return decision;
  }

  private void unanswered(String address, Throwable failure) {
    boolean refused = StatusException.codeOf(failure) != StatusCode.DEADLINE_EXCEEDED;
    var _ =
        loop.submit((state, _) -> {
          if (!soft.workers().unanswered(address, refused)) {
            return Decision.answer(false);
          }
          lost(state, address, "it refused " + WorkerLiveness.REFUSALS + " questions");
          List<JournalRecord> records =
              new ArrayList<>(TaskPlanning.whenLost(state, soft, List.of(address)));
          records.addAll(WorkerDecisions.endsOfDrains(state, List.of(address)));
          return new Decision<>(records, true);
        });
  }

  private void lost(DispatcherState state, String address, String why) {
    List<Task> tasks = state.iterations().activeOn(address);
    boolean isUnheard = soft.workers().isUnheard(address);
    if (isUnheard && tasks.stream().noneMatch(task -> isRead(state, task))) {
      events.staysAway(address, why, tasks.size());
    } else {
      LOGGER.log(
          Level.WARNING,
          "worker {0} is lost ({1}{2}); {3} of its tasks were running",
          address,
          why,
          isUnheard ? ", and has not answered since the dispatcher started" : "",
          tasks.size());
    }
    tasks.forEach(this::touch);
  }

  private static boolean isRead(DispatcherState state, Task task) {
    return state
        .iterations()
        .find(task.iterationId())
        .filter(iteration -> iteration.numClients() > 0)
        .isPresent();
  }

  private void touch(Task task) {
    watchers.touch(task.iterationId(), task.id());
  }

  private static void logUnsent(TaskDef task, Throwable failure) {
    LOGGER.log(
        Level.DEBUG,
        () ->
            "worker %s could not be sent task %d: %s"
                .formatted(task.getWorkerAddress(), task.getTaskId(), failure.getMessage()));
  }
}

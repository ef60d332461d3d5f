package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.data.WorkerUpdateResponse;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A worker process of a {@link Simulation}, as the dispatcher and readers see it. */
final class SimulatedWorker {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  private final Simulation simulation;
  private final String address;
  private final boolean stock;
  private final VirtualProcess process;
  private final long incarnation;
  private final Map<Long, RunningTask> tasks = new LinkedHashMap<>();
  private final Set<Long> deleted = new HashSet<>();
  private final Set<Long> unreported = new HashSet<>();
  private boolean registered;
  private boolean reporting;
  private boolean leaving;

  /** The outcome of a request for an element. */
  enum Taken {
    ELEMENT,
    END,
    TRY_AGAIN
  }

  private static final class RunningTask {
    private final TaskDef definition;
    private final int elements;
    private @Nullable SimulatedTask part;
    private int position;

    RunningTask(TaskDef definition, int elements) {
      this.definition = definition;
      this.elements = elements;
    }
  }

  SimulatedWorker(Simulation simulation, String address, boolean stock) {
    this.simulation = simulation;
    this.address = address;
    this.stock = stock;
    process = simulation.newProcess();
    incarnation = stock ? 0 : simulation.random().nextLong();
    simulation.network().listen(address, process, this);
    beat();
  }

  String address() {
    return address;
  }

  boolean isStock() {
    return stock;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void kill() {
    simulation.network().troubled(address, address);
    process.kill();
  }

  /**
   * Leaves in order, as a worker of ours does: waits until readers have what it hands out before,
   * for ten seconds at most, says goodbye, and ends.
   */
  void leave() {
    if (leaving) {
      return;
    }
    if (!registered) {
      kill();
      return;
    }
    leaving = true;
    parts().forEach(SimulatedTask::leave);
    awaitReaders(simulation.now() + 10 * SECOND);
  }

  private Stream<SimulatedTask> parts() {
    return tasks.values().stream().flatMap(task -> Stream.ofNullable(task.part));
  }

  private void awaitReaders(long deadlineNanos) {
    if (simulation.now() < deadlineNanos && !parts().allMatch(SimulatedTask::canLeave)) {
      process.after(100 * MILLI, () -> awaitReaders(deadlineNanos));
      return;
    }
    LeaveWorkerRequest.Builder request =
        LeaveWorkerRequest.newBuilder().setWorkerAddress(address).setIncarnation(incarnation);
    parts().forEach(part -> part.lastDeliveries().ifPresent(request::addTasks));
    sayGoodbye(request.build(), 1 + simulation.random().nextInt(5));
  }

  private void sayGoodbye(LeaveWorkerRequest request, int attempts) {
    simulation.ledger().leaves(address);
    var _ =
        simulation
            .ask(process, address, dispatcher -> dispatcher.leaveWorker(request, caller()))
            .whenComplete((_, failure) -> {
              if (failure == null || attempts == 1) {
                simulation.note(address + " has left");
                kill();
              } else {
                requireRetriable(failure);
                process.after(SECOND, () -> sayGoodbye(request, attempts - 1));
              }
            });
  }

  // The dispatcher's calls.

  CompletableFuture<Set<Long>> tasks() {
    return CompletableFuture.completedFuture(Set.copyOf(tasks.keySet()));
  }

  CompletableFuture<Boolean> confirm(long number) {
    return number == incarnation
        ? CompletableFuture.completedFuture(true)
        : CompletableFuture.failedFuture(
            new StatusException(StatusCode.FAILED_PRECONDITION, "another process serves here"));
  }

  /** Does without an earlier heartbeat: it has them often enough. */
  CompletableFuture<Boolean> hurry() {
    return CompletableFuture.completedFuture(true);
  }

  CompletableFuture<Boolean> process(TaskDef task) {
    if (leaving) {
      return CompletableFuture.failedFuture(
          new StatusException(StatusCode.UNAVAILABLE, "the worker is leaving"));
    }
    if (!registered && !stock) {
      // It may be a task of the predecessor process, for which the dispatcher mistakes this one.
      return CompletableFuture.failedFuture(
          new StatusException(StatusCode.UNAVAILABLE, "the worker has not registered yet"));
    }
    add(task);
    return CompletableFuture.completedFuture(true);
  }

  // The readers' calls.

  Taken take(long id, SimulatedReceipts receipts) {
    RunningTask task = tasks.get(id);
    if (!registered || task == null) {
      return registered && deleted.contains(id) ? Taken.END : Taken.TRY_AGAIN;
    }
    if (isDynamic(task.definition)) {
      return task.part == null ? Taken.TRY_AGAIN : take(id, task.part, receipts);
    }
    if (task.position == task.elements) {
      report(id);
      return Taken.END;
    }
    simulation.shares().read(task.definition, task.position++);
    if (task.position == task.elements) {
      report(id);
    }
    return Taken.ELEMENT;
  }

  private Taken take(long id, SimulatedTask part, SimulatedReceipts receipts) {
    @Nullable RecordSet element = part.next();
    if (element != null) {
      receipts.send(id, part, element);
      Objects.requireNonNull(tasks.get(id)).position++;
      return Taken.ELEMENT;
    }
    if (part.isAtEnd()) {
      report(id);
      return Taken.END;
    }
    return Taken.TRY_AGAIN;
  }

  private static boolean isDynamic(TaskDef task) {
    return task.getProcessingModeDef().getShardingPolicy() == ShardingPolicy.DYNAMIC;
  }

  /** Gets a task's description and begins the task. */
  private void describe(RunningTask task) {
    long id = task.definition.getTaskId();
    if (stock) {
      task.part =
          new SimulatedTask(
              simulation,
              process,
              address,
              task.definition,
              caller(),
              DescribeTaskResponse.getDefaultInstance());
      return;
    }
    CompletableFuture<DescribeTaskResponse> reply =
        simulation.ask(process, address, dispatcher -> dispatcher.describeTask(id));
    var _ =
        reply.whenComplete((response, failure) -> {
          if (failure == null) {
            task.part =
                new SimulatedTask(
                    simulation, process, address, task.definition, caller(), response);
          } else if (StatusException.codeOf(failure).isRetriable()) {
            process.after(simulation.random().nextLong(SECOND), () -> describe(task));
          }
        });
  }

  private Caller caller() {
    return new Caller(incarnation, address);
  }

  private void beat() {
    if (leaving) {
      return;
    }
    Map<Long, Long> positions = new HashMap<>();
    if (!stock) {
      tasks.forEach((id, task) -> positions.put(id, (long) task.position));
    }
    WorkerReport report =
        WorkerReport.of(
            TestDispatcher.report(address, tasks.keySet().toArray(Long[]::new)),
            List.of(),
            positions,
            incarnation,
            !stock,
            caller());
    CompletableFuture<ExtendedWorkerHeartbeatResponse> reply =
        simulation.ask(
            process, address, dispatcher -> dispatcher.workerHeartbeat(report, Map.of()));
    var _ =
        reply.whenComplete((response, failure) -> {
          if (leaving) {
            return;
          }
          if (failure == null) {
            follow(response);
            process.after(SECOND + simulation.random().nextLong(4 * SECOND), this::beat);
          } else {
            requireRetriable(failure);
            process.after(simulation.random().nextLong(SECOND), this::beat);
          }
        });
  }

  private void follow(ExtendedWorkerHeartbeatResponse response) {
    registered = true;
    for (long id : response.getTasksToDeleteList()) {
      tasks.remove(id);
      deleted.add(id);
      simulation.note(address + " deletes " + id);
    }
    response.getNewTasksList().forEach(this::add);
    if (response.getLeave()) {
      leave();
    }
  }

  private void add(TaskDef task) {
    simulation.require(
        simulation.ledger().wasUsed("task ", task.getTaskId()),
        "%s is told of task %d, which is not durable",
        address,
        task.getTaskId());
    simulation.require(
        task.getWorkerAddress().equals(address),
        "%s gets the task of %s",
        address,
        task.getWorkerAddress());
    if (deleted.contains(task.getTaskId())) {
      return; // a delayed message
    }
    RunningTask known = tasks.get(task.getTaskId());
    simulation.require(
        known == null || known.definition.equals(task),
        "task %d means something else now",
        task.getTaskId());
    if (known == null) {
      RunningTask begun = new RunningTask(task, Simulation.elementsOf(task.getDatasetId()));
      tasks.put(task.getTaskId(), begun);
      if (isDynamic(task)) {
        describe(begun);
      }
    }
  }

  private void report(long id) {
    unreported.add(id);
    if (!reporting) {
      reporting = true;
      sendReport();
    }
  }

  private void sendReport() {
    List<Long> ids = List.copyOf(unreported);
    WorkerUpdateRequest.Builder request =
        WorkerUpdateRequest.newBuilder().setWorkerAddress(address);
    ids.forEach(
        id -> request.addUpdates(TaskProgress.newBuilder().setTaskId(id).setCompleted(true)));
    CompletableFuture<WorkerUpdateResponse> reply =
        simulation.ask(
            process, address, dispatcher -> dispatcher.workerUpdate(request.build(), caller()));
    var _ =
        reply.whenComplete((_, failure) -> {
          if (failure == null) {
            unreported.removeAll(Set.copyOf(ids));
          } else {
            requireRetriable(failure);
          }
          reporting = !unreported.isEmpty();
          if (reporting) {
            process.after(failure == null ? MILLI : 5 * SECOND, this::sendReport);
          }
        });
  }

  private void requireRetriable(Throwable failure) {
    StatusCode code = StatusException.codeOf(failure);
    boolean hasNoPlace =
        code == StatusCode.FAILED_PRECONDITION && !simulation.shares().configured().isEmpty();
    simulation.require(code.isRetriable() || hasNoPlace, "worker %s got %s", address, failure);
  }
}

package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.dispatcher.state.Iterations;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A process of a {@link Simulation} that speaks for its workers without being one. None of its
 * calls may have an effect, which is for the simulation's other checks to see.
 */
final class SimulatedStranger {
  private static final String HOST = "stranger";
  private static final int RECENT = 3;

  private final Simulation simulation;
  private final VirtualProcess process;

  SimulatedStranger(Simulation simulation) {
    this.simulation = simulation;
    process = simulation.newProcess();
  }

  /** Makes a call in the name of the worker at {@code address}. */
  void speakFor(String address) {
    long task = recentTask();
    Caller caller = new Caller(simulation.random().nextLong(), HOST);
    switch (simulation.random().nextInt(4)) {
      case 0 ->
          call(dispatcher ->
              dispatcher.workerUpdate(TestDispatcher.finished(address, task), caller));
      case 1 -> call(dispatcher -> dispatcher.takeSplits(splits(task), caller));
      case 2 -> call(dispatcher -> dispatcher.reportDeliveries(deliveries(task), caller));
      default ->
          call(dispatcher -> dispatcher.workerHeartbeat(heartbeat(address, caller), Map.of()));
    }
  }

  private long recentTask() {
    long next = Iterations.FIRST_TASK_ID;
    while (simulation.ledger().wasUsed("task ", next)) {
      next++;
    }
    return next - 1 - simulation.random().nextInt(RECENT);
  }

  private <R> void call(Function<Dispatcher, CompletableFuture<R>> request) {
    var _ =
        simulation
            .ask(process, HOST, request)
            .whenComplete((_, failure) ->
                simulation.require(
                    failure == null || isRefusal(StatusException.codeOf(failure)),
                    "a stranger got %s",
                    failure));
  }

  private static TakeSplitsRequest splits(long task) {
    return TakeSplitsRequest.newBuilder()
        .setTaskId(task)
        .setMaxSplits(8)
        .setRequestNumber(1)
        .build();
  }

  private static ReportDeliveriesRequest deliveries(long task) {
    TaskDeliveries.Builder all =
        TaskDeliveries.newBuilder().setTaskId(task).setRecords(everything().toProto());
    return ReportDeliveriesRequest.newBuilder().addTasks(all).build();
  }

  private static WorkerReport heartbeat(String address, Caller caller) {
    return WorkerReport.of(
        TestDispatcher.report(address), List.of(), Map.of(), caller.incarnation(), true, caller);
  }

  private static RecordSet everything() {
    RecordSet records = new RecordSet();
    records.completeGroups(0, 0, 3);
    return records;
  }

  private static boolean isRefusal(StatusCode code) {
    return code.isRetriable()
        || code == StatusCode.PERMISSION_DENIED
        || code == StatusCode.NOT_FOUND
        || code == StatusCode.INVALID_ARGUMENT
        || code == StatusCode.FAILED_PRECONDITION;
  }
}

package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.proto.data.ActiveTask;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A worker's heartbeat, from TensorFlow's request or ours.
 *
 * @param worker the worker's registration
 * @param currentTasks ids of its tasks
 * @param positions for some of them, the number of elements handed out
 * @param processingNanos for some of them, how long an element takes
 * @param caller the process that sent it
 */
public record WorkerReport(
    RegisteredWorker worker,
    Set<Long> currentTasks,
    Map<Long, Long> positions,
    Map<Long, Double> processingNanos,
    Caller caller) {
  /** The report in a heartbeat of TensorFlow's, and what ours has beside it. */
  public static WorkerReport of(
      WorkerHeartbeatRequest request,
      List<String> knownOps,
      Map<Long, Long> positions,
      long incarnation,
      boolean tracksOrigins,
      Caller caller) {
    RegisteredWorker worker =
        new RegisteredWorker(
            request.getWorkerAddress(),
            List.copyOf(request.getTransferServersList()),
            List.copyOf(request.getWorkerTagsList()),
            request.getWorkerUid(),
            Set.copyOf(knownOps),
            incarnation,
            tracksOrigins,
            OptionalLong.empty(),
            incarnation == 0 ? caller.host() : "",
            false);
    return new WorkerReport(
        worker,
        Set.copyOf(request.getCurrentTasksList()),
        Map.copyOf(positions),
        request.getActiveTasksList().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    ActiveTask::getTaskId, ActiveTask::getProcessingTimeNsec, (_, last) -> last)),
        caller);
  }

  public String address() {
    return worker.address();
  }

  /** This report with an index in the configured list of workers. */
  public WorkerReport at(OptionalLong place) {
    return with(worker.at(place));
  }

  /** This report of a worker that an operator drains if the same process was drained before. */
  WorkerReport after(RegisteredWorker known) {
    return known.draining() && known.incarnation() == worker.incarnation()
        ? with(worker.draining(true))
        : this;
  }

  private WorkerReport with(RegisteredWorker other) {
    return new WorkerReport(other, currentTasks, positions, processingNanos, caller);
  }
}

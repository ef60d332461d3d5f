package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A worker's heartbeat, from TensorFlow's request or ours.
 *
 * @param worker the worker's registration
 * @param currentTasks ids of its tasks
 * @param positions for some of them, the number of elements handed out
 * @param caller the process that sent it
 */
public record WorkerReport(
    RegisteredWorker worker, Set<Long> currentTasks, Map<Long, Long> positions, Caller caller) {
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
        worker, Set.copyOf(request.getCurrentTasksList()), Map.copyOf(positions), caller);
  }

  public String address() {
    return worker.address();
  }

  /** This report with an index in the configured list of workers. */
  public WorkerReport at(OptionalLong place) {
    return new WorkerReport(worker.at(place), currentTasks, positions, caller);
  }

  /** This report of a worker that an operator drains if the same process was drained before. */
  WorkerReport after(RegisteredWorker known) {
    return known.draining() && known.incarnation() == worker.incarnation()
        ? new WorkerReport(worker.draining(true), currentTasks, positions, caller)
        : this;
  }
}

package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Workers;
import io.headrace.proto.headrace.DrainWorkerRequest;
import io.headrace.proto.headrace.DrainWorkerResponse;
import io.headrace.proto.headrace.EndJobResponse;
import io.headrace.proto.headrace.ForgetClientResponse;
import io.headrace.proto.headrace.ForgetDatasetResponse;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decisions on what operators ask for. */
public final class OperatorDecisions {
  private OperatorDecisions() {}

  /**
   * Begins, or takes back, the drain of a worker. A worker that is drained gets no more tasks; one
   * of ours learns of it by its next heartbeat, and leaves.
   *
   * @throws StatusException NOT_FOUND if the worker is not registered
   */
  public static Decision<DrainWorkerResponse> drain(
      DispatcherState state, LivenessView liveness, DrainWorkerRequest request) {
    String address = request.getWorkerAddress();
    RegisteredWorker worker =
        state
            .workers()
            .find(address)
            .orElseThrow(() ->
                StatusException.of(
                    StatusCode.NOT_FOUND,
                    "no worker is registered at \"%s\"; headrace status lists the workers",
                    address));
    int active = state.iterations().activeOn(address).size();
    int ending = TaskPlanning.whenLeaving(state, liveness, address, List.of()).size();
    long others =
        state.workers().all().stream()
            .filter(other -> !other.address().equals(address) && !other.draining())
            .filter(other -> !liveness.isLost(other.address()))
            .count();
    boolean drains = !request.getCancel();
    return new Decision<>(
        worker.draining() == drains
            ? List.of()
            : List.of(JournalRecords.of(Workers.registration(worker.draining(drains)))),
        DrainWorkerResponse.newBuilder()
            .setKind(worker.isStock() ? PeerKind.STOCK : PeerKind.HEADRACE)
            .setActiveTasks(active)
            .setWaitingTasks(active - ending)
            .setOtherWorkers(others)
            .build());
  }

  /**
   * Ends a job with all its iterations, and forgets its name.
   *
   * @param state the dispatcher's state
   * @param named its name or id
   * @throws StatusException NOT_FOUND without such a job
   */
  public static Decision<EndJobResponse> endJob(DispatcherState state, String named) {
    Job job = state.jobs().named(named);
    String reason = "job %d (%s) was ended by an operator".formatted(job.id(), job.name());
    List<JournalRecord> records = new ArrayList<>();
    long tasks = 0;
    for (long id : state.iterations().ofJob(job.id())) {
      Iteration iteration = state.iterations().find(id).orElseThrow();
      tasks += iteration.numActive();
      iteration
          .clients()
          .forEach(client -> records.add(JournalRecords.clientReleased(client, id, reason)));
    }
    EndJobResponse response =
        EndJobResponse.newBuilder()
            .setJobId(job.id())
            .setJobName(job.name())
            .setReaders(records.size())
            .setTasks(tasks)
            .build();
    records.add(JournalRecords.jobForgotten(job.id()));
    return new Decision<>(records, response);
  }

  /**
   * Releases a client, as if it had been silent for too long.
   *
   * @throws StatusException NOT_FOUND without such a client
   */
  public static Decision<ForgetClientResponse> forgetClient(DispatcherState state, long client) {
    Iteration iteration =
        state
            .iterations()
            .ofClient(client)
            .orElseThrow(() ->
                StatusException.of(
                    StatusCode.NOT_FOUND,
                    "there is no reader %d; headrace status lists the readers",
                    client));
    String reason =
        "an operator gave up reader %d of job %d (%s)"
            .formatted(client, iteration.job().id(), iteration.job().name());
    return new Decision<>(
        List.of(JournalRecords.clientReleased(client, iteration.id(), reason)),
        ForgetClientResponse.newBuilder()
            .setIterationId(iteration.id())
            .setJobId(iteration.job().id())
            .setReadersLeft(iteration.numClients() - 1)
            .build());
  }

  /**
   * Forgets a dataset that no job reads.
   *
   * @throws StatusException NOT_FOUND without such a dataset; FAILED_PRECONDITION, naming a job, if
   *     one reads it
   */
  public static Decision<ForgetDatasetResponse> forgetDataset(DispatcherState state, String id) {
    RegisteredDataset dataset = state.datasets().get(id);
    Optional<Job> reading =
        state.jobs().latestFirst().stream().filter(job -> job.datasetId().equals(id)).findFirst();
    if (reading.isPresent()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "dataset %s belongs to job %d (%s): end the job first",
          id,
          reading.get().id(),
          reading.get().name());
    }
    return new Decision<>(
        List.of(JournalRecords.datasetForgotten(id)),
        ForgetDatasetResponse.newBuilder().setGraphBytes(dataset.def().size()).build());
  }
}

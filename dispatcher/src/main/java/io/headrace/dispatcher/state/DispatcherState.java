package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.IdsUsed;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;

/**
 * The dispatcher's hard state: the replay of its journal's records, and nothing else.
 *
 * <p>{@link #apply} is the only mutator; decisions read the tables through the accessors. The state
 * depends on no clock, thread or file. Not thread-safe: the {@code CommitLoop} owns it. {@code
 * SoftState} holds everything that is not journaled.
 */
public final class DispatcherState {
  private final Datasets datasets = new Datasets();
  private final Workers workers = new Workers();
  private final Jobs jobs = new Jobs();
  private final Iterations iterations = new Iterations();
  private final Snapshots snapshots = new Snapshots();

  public Datasets datasets() {
    return datasets;
  }

  public Workers workers() {
    return workers;
  }

  public Jobs jobs() {
    return jobs;
  }

  public Iterations iterations() {
    return iterations;
  }

  public Snapshots snapshots() {
    return snapshots;
  }

  /** Whether no iteration of {@code job} has clients. */
  public boolean isIdle(Job job) {
    return iterations.ofJob(job.id()).stream()
        .flatMap(id -> iterations.find(id).stream())
        .allMatch(iteration -> iteration.numClients() == 0);
  }

  /** Whether the repetition of {@code job} has an iteration, or was read to its end. */
  public boolean hasRepetition(Job job, long repetition) {
    return iterations.find(job, repetition).isPresent() || jobs.hasFinished(job, repetition);
  }

  /** The dataset that {@code iteration} reads. */
  public RegisteredDataset datasetOf(Iteration iteration) {
    return datasets.get(iteration.job().datasetId());
  }

  /**
   * Applies one journal record.
   *
   * @throws StatusException DATA_LOSS for a record that can't follow the earlier ones
   */
  public void apply(JournalRecord record) {
    try {
      change(record);
    } catch (IllegalStateException | StatusException e) {
      throw new StatusException(
          StatusCode.DATA_LOSS,
          "the journal contradicts itself at a record " + record.getChangeCase() + ": " + e,
          e);
    }
  }

  private void change(JournalRecord record) {
    switch (record.getChangeCase()) {
      case DATASET_REGISTERED -> datasets.apply(record.getDatasetRegistered());
      case DATASET_FORGOTTEN -> datasets.forget(record.getDatasetForgotten().getDatasetId());
      case COMPRESSION_DECIDED -> datasets.apply(record.getCompressionDecided());
      case WORKER_REGISTERED -> workers.register(record.getWorkerRegistered());
      case WORKER_REMOVED -> workers.remove(record.getWorkerRemoved().getWorkerAddress());
      case JOB_CREATED -> jobs.create(record.getJobCreated());
      case JOB_FORGOTTEN -> forgetJob(record.getJobForgotten().getJobId());
      case ITERATION_CREATED -> create(record.getIterationCreated());
      case ITERATION_COLLECTED -> collect(record.getIterationCollected().getIterationId());
      case CLIENT_ACQUIRED -> iterations.acquireClient(record.getClientAcquired());
      case CLIENT_RELEASED ->
          iterations.releaseClient(record.getClientReleased().getIterationClientId());
      case TASK_CREATED -> iterations.createTask(record.getTaskCreated());
      case TASK_FINISHED -> iterations.finishTask(record.getTaskFinished().getTaskId());
      case TASK_LOST -> iterations.loseTask(record.getTaskLost());
      case SPLITS_TAKEN -> iterations.takeSplits(record.getSplitsTaken());
      case SPLITS_LEASED -> iterations.leaseSplits(record.getSplitsLeased());
      case SETTLEMENT_OPENED -> iterations.openSettlement(record.getSettlementOpened());
      case SETTLEMENT_ANSWERED -> iterations.answerSettlement(record.getSettlementAnswered());
      case SETTLEMENT_CLOSED -> iterations.closeSettlement(record.getSettlementClosed());
      case RECORDS_TAKEN -> iterations.takeRecords(record.getRecordsTaken());
      case RECORDS_DELIVERED -> iterations.deliverRecords(record.getRecordsDelivered());
      case ADMISSION_ANSWERED -> iterations.answerAdmission(record.getAdmissionAnswered());
      case SNAPSHOT_STARTED -> snapshots.start(record.getSnapshotStarted());
      case SNAPSHOT_STREAM_ASSIGNED -> snapshots.assign(record.getSnapshotStreamAssigned());
      case SNAPSHOT_SPLIT_TAKEN -> snapshots.take(record.getSnapshotSplitTaken());
      case SNAPSHOT_STREAM_DONE -> snapshots.finishStream(record.getSnapshotStreamDone());
      case SNAPSHOT_FAILED -> snapshots.fail(record.getSnapshotFailed());
      case IDS_USED -> use(record.getIdsUsed());
      case CHANGE_NOT_SET ->
          throw new IllegalStateException("a record of a kind that this version does not know");
    }
  }

  /** A minimal sequence of records that restores this state when it is replayed. */
  public List<JournalRecord> snapshot() {
    List<JournalRecord> records = new ArrayList<>();
    datasets.snapshot(records);
    workers.snapshot(records);
    jobs.snapshot(records);
    iterations.snapshot(records);
    snapshots.snapshot(records);
    records.add(idsUsed());
    return records;
  }

  /** A record of the next unused ids. Applying it to this state changes nothing. */
  public JournalRecord idsUsed() {
    return JournalRecords.of(
        IdsUsed.newBuilder()
            .setNextDatasetId(datasets.nextId())
            .setNextIterationId(iterations.nextId())
            .setNextIterationClientId(iterations.nextClientId())
            .setNextTaskId(iterations.nextTaskId())
            .setNextJobId(jobs.nextId())
            .build());
  }

  private void create(IterationCreated change) {
    Job job = jobs.get(change.getJobId());
    if (change.getAgain()) {
      jobs.beginAgain(job, change.getRepetition());
    }
    iterations.create(change, job);
  }

  private void collect(long iterationId) {
    Iteration iteration = iterations.collect(iterationId);
    if (iteration.isFinished()) {
      jobs.finish(iteration.job(), iteration.repetition(), iteration.finishedPass());
    }
  }

  private void forgetJob(long jobId) {
    iterations.forgetJob(jobId);
    jobs.forget(jobId);
  }

  private void use(IdsUsed ids) {
    datasets.useIdsTo(ids.getNextDatasetId());
    jobs.useIdsTo(ids.getNextJobId());
    iterations.useIdsTo(ids);
  }
}

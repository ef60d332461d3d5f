package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.journal.AdmissionAnswered;
import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.ClientReleased;
import io.headrace.proto.headrace.journal.CompressionDecided;
import io.headrace.proto.headrace.journal.DatasetForgotten;
import io.headrace.proto.headrace.journal.DatasetRegistered;
import io.headrace.proto.headrace.journal.IdsUsed;
import io.headrace.proto.headrace.journal.IterationCollected;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JobCreated;
import io.headrace.proto.headrace.journal.JobForgotten;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.RecordsDelivered;
import io.headrace.proto.headrace.journal.RecordsTaken;
import io.headrace.proto.headrace.journal.SettlementAnswered;
import io.headrace.proto.headrace.journal.SettlementClosed;
import io.headrace.proto.headrace.journal.SettlementOpened;
import io.headrace.proto.headrace.journal.SnapshotFailed;
import io.headrace.proto.headrace.journal.SnapshotSplitTaken;
import io.headrace.proto.headrace.journal.SnapshotStarted;
import io.headrace.proto.headrace.journal.SnapshotStreamAssigned;
import io.headrace.proto.headrace.journal.SnapshotStreamDone;
import io.headrace.proto.headrace.journal.SplitsLeased;
import io.headrace.proto.headrace.journal.SplitsTaken;
import io.headrace.proto.headrace.journal.TaskCreated;
import io.headrace.proto.headrace.journal.TaskFinished;
import io.headrace.proto.headrace.journal.TaskLost;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import io.headrace.proto.headrace.journal.WorkerRemoved;
import io.headrace.runtime.origin.RecordSet;
import java.util.OptionalLong;

/** Factory methods of journal records. */
public final class JournalRecords {
  private JournalRecords() {}

  public static JournalRecord of(DatasetRegistered change) {
    return JournalRecord.newBuilder().setDatasetRegistered(change).build();
  }

  public static JournalRecord of(WorkerRegistered change) {
    return JournalRecord.newBuilder().setWorkerRegistered(change).build();
  }

  public static JournalRecord of(JobCreated change) {
    return JournalRecord.newBuilder().setJobCreated(change).build();
  }

  static JournalRecord of(IdsUsed change) {
    return JournalRecord.newBuilder().setIdsUsed(change).build();
  }

  public static JournalRecord of(SplitsTaken change) {
    return JournalRecord.newBuilder().setSplitsTaken(change).build();
  }

  public static JournalRecord datasetForgotten(String datasetId) {
    return JournalRecord.newBuilder()
        .setDatasetForgotten(DatasetForgotten.newBuilder().setDatasetId(datasetId))
        .build();
  }

  public static JournalRecord of(CompressionDecided change) {
    return JournalRecord.newBuilder().setCompressionDecided(change).build();
  }

  public static JournalRecord workerRemoved(String address) {
    return JournalRecord.newBuilder()
        .setWorkerRemoved(WorkerRemoved.newBuilder().setWorkerAddress(address))
        .build();
  }

  public static JournalRecord jobForgotten(long jobId) {
    return JournalRecord.newBuilder()
        .setJobForgotten(JobForgotten.newBuilder().setJobId(jobId))
        .build();
  }

  public static JournalRecord of(IterationCreated change) {
    return JournalRecord.newBuilder().setIterationCreated(change).build();
  }

  public static JournalRecord iterationCollected(long iterationId) {
    return JournalRecord.newBuilder()
        .setIterationCollected(IterationCollected.newBuilder().setIterationId(iterationId))
        .build();
  }

  public static JournalRecord clientAcquired(long clientId, long iterationId) {
    return clientAcquired(clientId, iterationId, 0, 0);
  }

  /**
   * A client's place.
   *
   * @param reader the client's reader number, 0 if it has none
   * @param joinId the number of its join request, 0 for none
   */
  static JournalRecord clientAcquired(long clientId, long iterationId, long reader, long joinId) {
    return of(
        ClientAcquired.newBuilder()
            .setIterationClientId(clientId)
            .setIterationId(iterationId)
            .setReader(reader)
            .setJoinId(joinId)
            .build());
  }

  public static JournalRecord of(ClientAcquired change) {
    return JournalRecord.newBuilder().setClientAcquired(change).build();
  }

  public static JournalRecord clientReleased(long clientId, long iterationId) {
    return clientReleased(clientId, iterationId, "");
  }

  /** The release of a client by an operator, whose reader is told the {@code reason}. */
  public static JournalRecord clientReleased(long clientId, long iterationId, String reason) {
    return JournalRecord.newBuilder()
        .setClientReleased(
            ClientReleased.newBuilder()
                .setIterationClientId(clientId)
                .setIterationId(iterationId)
                .setReason(reason))
        .build();
  }

  /**
   * The release of a client whose place another takes, and whose reader is told the {@code reason}.
   */
  public static JournalRecord clientReplaced(long clientId, long iterationId, String reason) {
    return JournalRecord.newBuilder()
        .setClientReleased(
            ClientReleased.newBuilder()
                .setIterationClientId(clientId)
                .setIterationId(iterationId)
                .setReason(reason)
                .setReplaced(true))
        .build();
  }

  public static JournalRecord taskCreated(Task task) {
    return of(creationOf(task).build());
  }

  /** A task that waits until all consumers are ready to read it from {@code targetRound} on. */
  public static JournalRecord taskWaiting(Task task, long targetRound) {
    return of(creationOf(task).setTargetRound(targetRound).build());
  }

  static JournalRecord of(TaskCreated change) {
    return JournalRecord.newBuilder().setTaskCreated(change).build();
  }

  public static JournalRecord of(AdmissionAnswered change) {
    return JournalRecord.newBuilder().setAdmissionAnswered(change).build();
  }

  static TaskCreated.Builder creationOf(Task task) {
    TaskCreated.Builder change =
        TaskCreated.newBuilder()
            .setTaskId(task.id())
            .setIterationId(task.iterationId())
            .setWorkerAddress(task.workerAddress());
    task.shard().ifPresent(change::setShardIndex);
    task.settlement().ifPresent(change::setSettlementId);
    return change;
  }

  public static JournalRecord taskFinished(long taskId) {
    return JournalRecord.newBuilder()
        .setTaskFinished(TaskFinished.newBuilder().setTaskId(taskId))
        .build();
  }

  /**
   * The end of a task before the end of its elements, for a reason other than that its worker left.
   */
  public static JournalRecord taskLost(long taskId, OptionalLong position, LossReason reason) {
    return taskLost(taskId, position, OptionalLong.empty(), OptionalLong.empty(), reason);
  }

  /** The end of a task whose worker leaves in order, after it was drained or before. */
  public static JournalRecord taskLeft(long taskId, OptionalLong position, boolean drained) {
    OptionalLong splits = drained ? OptionalLong.of(0) : OptionalLong.empty();
    return taskLost(taskId, position, splits, OptionalLong.empty(), LossReason.WORKER_LEFT);
  }

  /**
   * The end of a lost task. The record counts the splits that the task had taken and the rows that
   * it had announced, for a snapshot that no longer lists them.
   */
  static JournalRecord taskLost(Task lost) {
    return taskLost(
        lost.id(), lost.lostAt(), lost.lostSplits(), lost.lostRows(), lost.lossReason());
  }

  private static JournalRecord taskLost(
      long taskId,
      OptionalLong position,
      OptionalLong splits,
      OptionalLong rows,
      LossReason reason) {
    TaskLost.Builder lost = TaskLost.newBuilder().setTaskId(taskId).setReason(reason);
    position.ifPresent(lost::setPosition);
    splits.ifPresent(lost::setNumSplits);
    rows.ifPresent(lost::setNumRows);
    return JournalRecord.newBuilder().setTaskLost(lost).build();
  }

  static JournalRecord splitsLeased(long iterationId, long taskId, long number) {
    return JournalRecord.newBuilder()
        .setSplitsLeased(
            SplitsLeased.newBuilder()
                .setIterationId(iterationId)
                .setTaskId(taskId)
                .setNumSplits(number))
        .build();
  }

  static JournalRecord splitsLeased(long iterationId, long taskId, SplitSet splits) {
    return JournalRecord.newBuilder()
        .setSplitsLeased(
            SplitsLeased.newBuilder()
                .setIterationId(iterationId)
                .setTaskId(taskId)
                .addAllSplits(splits.toProto()))
        .build();
  }

  public static JournalRecord of(SettlementOpened change) {
    return JournalRecord.newBuilder().setSettlementOpened(change).build();
  }

  public static JournalRecord of(SettlementClosed change) {
    return JournalRecord.newBuilder().setSettlementClosed(change).build();
  }

  public static JournalRecord settlementAnswered(
      long iterationId, long settlementId, long clientId, RecordSet received) {
    return JournalRecord.newBuilder()
        .setSettlementAnswered(
            SettlementAnswered.newBuilder()
                .setIterationId(iterationId)
                .setSettlementId(settlementId)
                .setIterationClientId(clientId)
                .setReceived(received.toProto()))
        .build();
  }

  public static SettlementClosed.Builder settlementClosed(
      long iterationId, long settlementId, SplitSet remainder, RecordSet received) {
    return SettlementClosed.newBuilder()
        .setIterationId(iterationId)
        .setSettlementId(settlementId)
        .addAllRemainder(remainder.toProto())
        .setReceived(received.toProto());
  }

  public static JournalRecord recordsDelivered(long iterationId, long taskId, RecordSet delivered) {
    return recordsDelivered(iterationId, taskId, delivered, Announcement.NONE);
  }

  /** Records of a task that are not made again, with the announcement that they came in. */
  public static JournalRecord recordsDelivered(
      long iterationId, long taskId, RecordSet delivered, Announcement announcement) {
    return JournalRecord.newBuilder()
        .setRecordsDelivered(
            RecordsDelivered.newBuilder()
                .setIterationId(iterationId)
                .setTaskId(taskId)
                .setDelivered(delivered.toProto())
                .setNumber(announcement.number())
                .setRowsAnnounced(announcement.rowsAnnounced())
                .setRowsDelivered(announcement.rowsDelivered()))
        .build();
  }

  public static JournalRecord recordsTaken(long iterationId, long clientId, RecordSet taken) {
    return JournalRecord.newBuilder()
        .setRecordsTaken(
            RecordsTaken.newBuilder()
                .setIterationId(iterationId)
                .setIterationClientId(clientId)
                .setTaken(taken.toProto()))
        .build();
  }

  public static JournalRecord of(SnapshotStarted change) {
    return JournalRecord.newBuilder().setSnapshotStarted(change).build();
  }

  public static JournalRecord snapshotStreamAssigned(
      String path, long index, String worker, boolean transferable) {
    return JournalRecord.newBuilder()
        .setSnapshotStreamAssigned(
            SnapshotStreamAssigned.newBuilder()
                .setPath(path)
                .setStreamIndex(index)
                .setWorkerAddress(worker)
                .setTransferable(transferable))
        .build();
  }

  public static JournalRecord of(SnapshotSplitTaken change) {
    return JournalRecord.newBuilder().setSnapshotSplitTaken(change).build();
  }

  public static JournalRecord snapshotStreamDone(String path, long index) {
    return JournalRecord.newBuilder()
        .setSnapshotStreamDone(SnapshotStreamDone.newBuilder().setPath(path).setStreamIndex(index))
        .build();
  }

  public static JournalRecord of(SnapshotFailed change) {
    return JournalRecord.newBuilder().setSnapshotFailed(change).build();
  }
}

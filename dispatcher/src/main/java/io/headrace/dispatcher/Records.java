package io.headrace.dispatcher;

import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.ClientReleased;
import io.headrace.proto.headrace.journal.CompressionDecided;
import io.headrace.proto.headrace.journal.DatasetRegistered;
import io.headrace.proto.headrace.journal.IdsUsed;
import io.headrace.proto.headrace.journal.IterationCollected;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JobCreated;
import io.headrace.proto.headrace.journal.JobForgotten;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.TaskCreated;
import io.headrace.proto.headrace.journal.TaskFinished;
import io.headrace.proto.headrace.journal.TaskLost;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import io.headrace.proto.headrace.journal.WorkerRemoved;
import java.util.OptionalLong;

/** Makes journal records. */
final class Records {
  private Records() {}

  static JournalRecord of(DatasetRegistered change) {
    return JournalRecord.newBuilder().setDatasetRegistered(change).build();
  }

  static JournalRecord of(WorkerRegistered change) {
    return JournalRecord.newBuilder().setWorkerRegistered(change).build();
  }

  static JournalRecord of(JobCreated change) {
    return JournalRecord.newBuilder().setJobCreated(change).build();
  }

  static JournalRecord of(IdsUsed change) {
    return JournalRecord.newBuilder().setIdsUsed(change).build();
  }

  static JournalRecord compressionDecided(String datasetId, boolean disabled) {
    return JournalRecord.newBuilder()
        .setCompressionDecided(
            CompressionDecided.newBuilder().setDatasetId(datasetId).setDisabled(disabled))
        .build();
  }

  static JournalRecord workerRemoved(String address) {
    return JournalRecord.newBuilder()
        .setWorkerRemoved(WorkerRemoved.newBuilder().setWorkerAddress(address))
        .build();
  }

  static JournalRecord jobForgotten(long jobId) {
    return JournalRecord.newBuilder()
        .setJobForgotten(JobForgotten.newBuilder().setJobId(jobId))
        .build();
  }

  static JournalRecord iterationCreated(
      long iterationId, long jobId, long repetition, boolean finished) {
    return JournalRecord.newBuilder()
        .setIterationCreated(
            IterationCreated.newBuilder()
                .setIterationId(iterationId)
                .setJobId(jobId)
                .setRepetition(repetition)
                .setFinished(finished))
        .build();
  }

  static JournalRecord iterationCollected(long iterationId) {
    return JournalRecord.newBuilder()
        .setIterationCollected(IterationCollected.newBuilder().setIterationId(iterationId))
        .build();
  }

  static JournalRecord clientAcquired(long clientId, long iterationId) {
    return JournalRecord.newBuilder()
        .setClientAcquired(
            ClientAcquired.newBuilder().setIterationClientId(clientId).setIterationId(iterationId))
        .build();
  }

  static JournalRecord clientReleased(long clientId, long iterationId) {
    return JournalRecord.newBuilder()
        .setClientReleased(
            ClientReleased.newBuilder().setIterationClientId(clientId).setIterationId(iterationId))
        .build();
  }

  static JournalRecord taskCreated(long taskId, long iterationId, String workerAddress) {
    return JournalRecord.newBuilder()
        .setTaskCreated(
            TaskCreated.newBuilder()
                .setTaskId(taskId)
                .setIterationId(iterationId)
                .setWorkerAddress(workerAddress))
        .build();
  }

  static JournalRecord taskFinished(long taskId) {
    return JournalRecord.newBuilder()
        .setTaskFinished(TaskFinished.newBuilder().setTaskId(taskId))
        .build();
  }

  static JournalRecord taskLost(long taskId, OptionalLong position) {
    TaskLost.Builder lost = TaskLost.newBuilder().setTaskId(taskId);
    position.ifPresent(lost::setPosition);
    return JournalRecord.newBuilder().setTaskLost(lost).build();
  }
}

package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.MaybeRemoveTaskRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.runtime.status.StatusCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class JobRpcTest {
  private final TestDispatcher dispatcher = new TestDispatcher();
  private final String dataset = dispatcher.register("RangeDataset");

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void job_withoutName_isAlwaysANewOne() {
    assertThat(dispatcher.createJob(dataset)).isEqualTo(5000);
    assertThat(dispatcher.createJob(dataset)).isEqualTo(5001);
  }

  @Test
  void job_withName_isShared() {
    long job = dispatcher.createJob(dataset, "shared");

    assertThat(dispatcher.createJob(dataset, "shared")).isEqualTo(job);
  }

  @Test
  void job_takenNameWithAnotherDataset_readsTheFirstDataset() {
    long job = dispatcher.createJob(dataset, "shared");
    String other = dispatcher.register("RangeDataset");

    assertThat(dispatcher.createJob(other, "shared")).isEqualTo(job);
  }

  @Test
  void job_takenNameForAnotherProcessingMode_isRefused() {
    create(job().setJobName("shared"));

    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () ->
                create(
                    job()
                        .setJobName("shared")
                        .setProcessingModeDef(
                            ProcessingModeDef.newBuilder()
                                .setShardingPolicy(ProcessingModeDef.ShardingPolicy.DYNAMIC))))
        .hasMessageContaining("Existing processing mode: <OFF>; got <DYNAMIC>.");
  }

  @Test
  void job_takenNameForOtherWorkers_isRefused() {
    create(job().setJobName("shared").setTargetWorkers(TargetWorkers.TARGET_WORKERS_AUTO));

    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () ->
                create(
                    job().setJobName("shared").setTargetWorkers(TargetWorkers.TARGET_WORKERS_ANY)))
        .hasMessageContaining("Existing target workers: <AUTO>; got <ANY>.");
  }

  @Test
  void job_unknownDataset_isNotFound() {
    assertFails(StatusCode.NOT_FOUND, () -> dispatcher.createJob("77"))
        .hasMessageContaining("Dataset id 77 not found");
  }

  @Test
  void job_inventedShardingPolicy_isInvalid() {
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        () ->
            create(
                job()
                    .setProcessingModeDef(
                        ProcessingModeDef.newBuilder().setShardingPolicyValue(99))));
  }

  @Test
  void iteration_unknownJob_isNotFound() {
    assertFails(StatusCode.NOT_FOUND, () -> dispatcher.iterate(12, 1))
        .hasMessageContaining("Job with id 12 not found");
  }

  @Test
  void iteration_negativeRepetition_isInvalid() {
    long job = dispatcher.createJob(dataset);

    assertFails(StatusCode.INVALID_ARGUMENT, () -> dispatcher.iterate(job, -1))
        .hasMessageContaining("repetition");
  }

  @Test
  void iteration_hugeRepetition_isOne() {
    assertThat(dispatcher.iterate(dispatcher.createJob(dataset), Long.MAX_VALUE)).isEqualTo(3000);
  }

  @Test
  void iteration_sameRepetition_isSharedByItsClients() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dataset, "shared");

    long first = dispatcher.iterate(job, 1);
    long second = dispatcher.iterate(job, 1);

    assertThat(second).isNotEqualTo(first);
    assertThat(dispatcher.clientHeartbeat(second).getTaskInfoList())
        .isEqualTo(dispatcher.clientHeartbeat(first).getTaskInfoList());
  }

  @Test
  void iteration_nextRepetition_hasTasksOfItsOwn() {
    FakeWorkerNetwork.Node worker = dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dataset);
    dispatcher.iterate(job, 1);
    dispatcher.iterate(job, 2);

    assertThat(worker.tasks().keySet()).containsExactlyInAnyOrder(4000L, 4001L);
  }

  @Test
  void iteration_finished_isFoundFinishedByLateClients() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dataset, "shared");
    dispatcher.iterate(job, 1);
    dispatcher.finish("w:1", 4000);

    assertThat(dispatcher.clientHeartbeat(dispatcher.iterate(job, 1)).getIterationFinished())
        .isTrue();
  }

  @Test
  void clientHeartbeat_unknownClient_isNotFound() {
    assertFails(StatusCode.NOT_FOUND, () -> dispatcher.clientHeartbeat(-5))
        .hasMessageContaining("Unknown iteration client id -5");
  }

  @Test
  void release_twice_isNotFound() {
    long client = dispatcher.iterate(dispatcher.createJob(dataset), 1);
    dispatcher.release(client);

    assertFails(StatusCode.NOT_FOUND, () -> dispatcher.release(client));
  }

  @Test
  void split_ofAnIterationWithoutSplits_isAFailedPrecondition() {
    dispatcher.iterate(dispatcher.createJob(dataset), 1);

    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () ->
                dispatcher
                    .stub()
                    .getSplit(GetSplitRequest.newBuilder().setIterationId(2000).build()))
        .hasMessageContaining("not a distributed_epoch iteration");
  }

  @Test
  void split_ofNoIteration_isNotFound() {
    assertFails(
        StatusCode.NOT_FOUND,
        () -> dispatcher.stub().getSplit(GetSplitRequest.getDefaultInstance()));
  }

  @Test
  void maybeRemoveTask_unknownTask_isRemoved() {
    assertThat(
            dispatcher
                .stub()
                .maybeRemoveTask(MaybeRemoveTaskRequest.newBuilder().setTaskId(9).build())
                .getRemoved())
        .isTrue();
  }

  @Test
  void iteration_manyMore_meetTheLimit() {
    try (TestDispatcher small =
        new TestDispatcher(
            DispatcherConfig.defaults(), new InMemoryJournal(), TestDispatcher.SMALL)) {
      long job = small.createJob(small.register("RangeDataset"));
      for (int i = 0; i < TestDispatcher.SMALL.maxClients(); i++) {
        small.iterate(job, 1);
      }

      assertFails(StatusCode.RESOURCE_EXHAUSTED, () -> small.iterate(job, 1))
          .hasMessageContaining("8 iteration clients");
      assertFails(
          StatusCode.RESOURCE_EXHAUSTED,
          () ->
              small
                  .stub()
                  .getOrCreateIteration(
                      GetOrCreateIterationRequest.newBuilder()
                          .setJobId(job)
                          .setRepetition(2)
                          .build()));
    }
  }

  private GetOrCreateJobRequest.Builder job() {
    return TestDispatcher.job(dataset).toBuilder();
  }

  private void create(GetOrCreateJobRequest.Builder request) {
    var _ = dispatcher.stub().getOrCreateJob(request.build());
  }
}

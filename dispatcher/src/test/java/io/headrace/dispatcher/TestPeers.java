package io.headrace.dispatcher;

import io.headrace.dataset.Dataset;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DataServiceMetadata.Compression;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.DescribeTaskRequest;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.SettlementAnswer;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.proto.headrace.TaskPosition;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Headrace workers and readers, as a {@link TestDispatcher} sees them. */
final class TestPeers {
  private final TestDispatcher dispatcher;
  private final Map<Long, Integer> requests = new HashMap<>();

  TestPeers(TestDispatcher dispatcher) {
    this.dispatcher = dispatcher;
  }

  // Workers.

  /** Starts a worker. */
  void start(String address) {
    start(address, address.hashCode());
  }

  /** Starts a worker as a given process. */
  void start(String address, long incarnation) {
    FakeWorkerNetwork.Node node = dispatcher.network().start(address);
    ExtendedWorkerHeartbeatResponse response =
        dispatcher
            .extensions()
            .extendedWorkerHeartbeat(
                ExtendedWorkerHeartbeatRequest.newBuilder()
                    .setHeartbeat(TestDispatcher.report(address))
                    .setIncarnation(incarnation)
                    .setTracksOrigins(true)
                    .build());
    response.getNewTasksList().forEach(task -> node.tasks().put(task.getTaskId(), task));
  }

  void lose(String address) {
    dispatcher.network().stop(address);
    dispatcher.advance(Duration.ofSeconds(4));
  }

  /** The worker reports a task's position. */
  void handOut(String address, long task, long position) {
    var _ =
        dispatcher
            .extensions()
            .extendedWorkerHeartbeat(
                ExtendedWorkerHeartbeatRequest.newBuilder()
                    .setHeartbeat(TestDispatcher.report(address, task))
                    .setIncarnation(address.hashCode())
                    .setTracksOrigins(true)
                    .addTaskPositions(
                        TaskPosition.newBuilder().setTaskId(task).setPosition(position))
                    .build());
  }

  DescribeTaskResponse describe(long task) {
    return dispatcher
        .extensions()
        .describeTask(DescribeTaskRequest.newBuilder().setTaskId(task).build());
  }

  TakeSplitsResponse take(long task, long most) {
    return take(task, most, 0);
  }

  TakeSplitsResponse take(long task, long most, long repetition) {
    int number = requests.merge(task, 1, Integer::sum);
    return dispatcher
        .extensions()
        .takeSplits(
            TakeSplitsRequest.newBuilder()
                .setTaskId(task)
                .setRepetition(repetition)
                .setMaxSplits(most)
                .setRequestNumber(number)
                .build());
  }

  /** The worker of {@code task} reports delivered records; throws the refusal, if there is one. */
  void deliver(long task, RecordSet records) {
    report(TaskDeliveries.newBuilder().setTaskId(task).setRecords(records.toProto()));
  }

  /** The worker of {@code task} announces rows, one for each split, before it delivers them. */
  void announce(long task, long number, RecordSet records, long announced, long delivered) {
    report(
        TaskDeliveries.newBuilder()
            .setTaskId(task)
            .setNumber(number)
            .setRecords(records.toProto())
            .setRowsAnnounced(announced)
            .setRowsDelivered(delivered));
  }

  private void report(TaskDeliveries.Builder deliveries) {
    dispatcher
        .extensions()
        .reportDeliveries(ReportDeliveriesRequest.newBuilder().addTasks(deliveries).build())
        .getRefusalsList()
        .forEach(refusal -> {
          throw new StatusException(StatusCode.ofNumber(refusal.getCode()), refusal.getMessage());
        });
  }

  // Readers.

  JoinIterationResponse join(JoinIterationRequest.Builder request) {
    JoinIterationResponse response = dispatcher.extensions().joinIteration(request.build());
    return response.getTicket() == 0
        ? response
        : dispatcher.extensions().joinIteration(request.setTicket(response.getTicket()).build());
  }

  /** A join request for an anonymous job with dynamic sharding. */
  JoinIterationRequest.Builder request(Dataset dataset) {
    return JoinIterationRequest.newBuilder()
        .setJob(job(dataset, ShardingPolicy.DYNAMIC).build())
        .setRepetition(1);
  }

  /** A join request for the job {@code name} with dynamic sharding. */
  JoinIterationRequest.Builder request(Dataset dataset, String name) {
    return JoinIterationRequest.newBuilder()
        .setJob(job(dataset, "of-" + name, ShardingPolicy.DYNAMIC).setJobName(name).build())
        .setRepetition(1);
  }

  GetOrCreateJobRequest.Builder job(Dataset dataset, ShardingPolicy policy) {
    return job(dataset, "", policy);
  }

  private GetOrCreateJobRequest.Builder job(
      Dataset dataset, String datasetId, ShardingPolicy policy) {
    String id =
        dispatcher
            .stub()
            .getOrRegisterDataset(
                GetOrRegisterDatasetRequest.newBuilder()
                    .setDatasetId(datasetId)
                    .setDataset(DatasetDef.newBuilder().setGraph(dataset.toGraphDef()))
                    .setMetadata(
                        DataServiceMetadata.newBuilder()
                            .setCompression(Compression.COMPRESSION_OFF))
                    .build())
            .getDatasetId();
    return TestDispatcher.job(id).toBuilder()
        .setProcessingModeDef(ProcessingModeDef.newBuilder().setShardingPolicy(policy));
  }

  /** The task of the worker at {@code address} in a client's iteration. */
  long task(long client, String address) {
    return tasks(client).stream()
        .filter(task -> task.getWorkerAddress().equals(address))
        .findFirst()
        .orElseThrow()
        .getTaskId();
  }

  List<TaskInfo> tasks(long client) {
    return dispatcher.clientHeartbeat(client).getTaskInfoList();
  }

  void answer(long client, long settlement, RecordSet received) {
    report(
        ReportReceiptsRequest.newBuilder()
            .setIterationClientId(client)
            .addAnswers(
                SettlementAnswer.newBuilder()
                    .setSettlementId(settlement)
                    .setReceived(received.toProto())));
  }

  /** A client reports taken records. */
  void taken(long client, RecordSet records) {
    report(
        ReportReceiptsRequest.newBuilder()
            .setIterationClientId(client)
            .setTaken(records.toProto()));
  }

  void report(ReportReceiptsRequest.Builder request) {
    var _ = dispatcher.extensions().reportReceipts(request.build());
  }

  /** The splits from {@code first} on of the first source, which are records themselves. */
  static RecordSet splits(long first, long count) {
    RecordSet records = new RecordSet();
    records.add(0, Origins.SPLITS, first, count);
    return records;
  }
}

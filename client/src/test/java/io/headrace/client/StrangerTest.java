package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceBlockingStub;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.ProcessTaskRequest;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc.DispatcherExtensionsBlockingStub;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.rpc.GrpcChannels;
import io.headrace.runtime.status.StatusCode;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/**
 * A process without any part in a job calls its dispatcher and worker, in the name of others: the
 * job's reader gets each element once all the same.
 */
@Timeout(300)
final class StrangerTest {
  private static final int NUM_ELEMENTS = 20_000;
  private static final Metadata.Key<String> EPOCH =
      Metadata.Key.of("headrace-dispatcher-epoch", Metadata.ASCII_STRING_MARSHALLER);

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer worker =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  private final ManagedChannel toDispatcher = GrpcChannels.open(dispatcher.address());
  private final ManagedChannel toWorker = GrpcChannels.open(worker.address());
  private ElementIterator elements = Dataset.range(0).iterator();
  private long read;
  private TaskInfo task = TaskInfo.getDefaultInstance();

  @BeforeEach
  void beginToRead() {
    elements =
        Dataset.range(NUM_ELEMENTS)
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.DYNAMIC)
                        .withGuarantee(Guarantee.EXACTLY_ONCE),
                    dispatcher.target()))
            .iterator();
    assertThat(elements.next().tensor().longs()[0]).isEqualTo(read++);
    task =
        workerStub(toWorker).getWorkerTasks(GetWorkerTasksRequest.getDefaultInstance()).getTasks(0);
  }

  @AfterEach
  void close() {
    elements.close();
    toDispatcher.shutdownNow();
    toWorker.shutdownNow();
    worker.close();
    dispatcher.close();
  }

  private DispatcherServiceBlockingStub stub() {
    return DispatcherServiceGrpc.newBlockingStub(toDispatcher);
  }

  private DispatcherExtensionsBlockingStub extensions() {
    return DispatcherExtensionsGrpc.newBlockingStub(toDispatcher);
  }

  private static WorkerServiceBlockingStub workerStub(Channel channel) {
    return WorkerServiceGrpc.newBlockingStub(channel);
  }

  private void assertTheRestComesOnce() {
    while (elements.hasNext()) {
      assertThat(elements.next().tensor().longs()[0]).isEqualTo(read++);
    }
    assertThat(read).isEqualTo(NUM_ELEMENTS);
  }

  private static void assertRefused(StatusCode code, Executable call) {
    assertThatThrownBy(call::execute)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode().name()).isEqualTo(code.name()));
  }

  @Test
  void endOfAnothersTask_isRefused() {
    WorkerUpdateRequest completed =
        WorkerUpdateRequest.newBuilder()
            .setWorkerAddress(worker.address())
            .addUpdates(TaskProgress.newBuilder().setTaskId(task.getTaskId()).setCompleted(true))
            .build();

    assertRefused(StatusCode.PERMISSION_DENIED, () -> stub().workerUpdate(completed));

    assertTheRestComesOnce();
  }

  @Test
  void heartbeatsOfAnotherAddress_areRefused() {
    WorkerHeartbeatRequest heartbeat =
        WorkerHeartbeatRequest.newBuilder()
            .setWorkerAddress(worker.address())
            .addTransferServers(
                DataTransferServerInfo.newBuilder().setProtocol("grpc").setAddress("stranger:1"))
            .setWorkerUid(-1)
            .build();

    assertRefused(StatusCode.PERMISSION_DENIED, () -> stub().workerHeartbeat(heartbeat));
    assertRefused(
        StatusCode.UNAVAILABLE,
        () ->
            extensions()
                .extendedWorkerHeartbeat(
                    ExtendedWorkerHeartbeatRequest.newBuilder()
                        .setHeartbeat(heartbeat)
                        .setIncarnation(77)
                        .setTracksOrigins(true)
                        .build()));
    var _ =
        extensions()
            .leaveWorker(
                LeaveWorkerRequest.newBuilder()
                    .setWorkerAddress(worker.address())
                    .setIncarnation(77)
                    .build());

    assertTheRestComesOnce();
  }

  @Test
  void splitsOfAnothersTask_areRefused() {
    assertRefused(
        StatusCode.PERMISSION_DENIED,
        () ->
            extensions()
                .takeSplits(
                    TakeSplitsRequest.newBuilder()
                        .setTaskId(task.getTaskId())
                        .setMaxSplits(NUM_ELEMENTS)
                        .setRequestNumber(1_000_000)
                        .build()));

    assertTheRestComesOnce();
  }

  @Test
  void getSplit_isForStockWorkers() {
    try (ElementIterator other =
        Dataset.range(100)
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.DYNAMIC)
                        .withGuarantee(Guarantee.AT_MOST_ONCE),
                    dispatcher.target()))
            .iterator()) {
      assertThat(other.hasNext()).isTrue();
      for (long iteration = 2000; iteration < 2003; iteration++) {
        GetSplitRequest request = GetSplitRequest.newBuilder().setIterationId(iteration).build();
        assertThatThrownBy(() -> stub().getSplit(request))
            .isInstanceOf(StatusRuntimeException.class);
      }
      long count = 0;
      for (; other.hasNext(); other.next()) {
        count++;
      }
      assertThat(count).isEqualTo(100);
    }
    assertTheRestComesOnce();
  }

  @Test
  void deliveriesOfAnothersTask_areRefused() {
    var response =
        extensions()
            .reportDeliveries(
                ReportDeliveriesRequest.newBuilder()
                    .addTasks(TaskDeliveries.newBuilder().setTaskId(task.getTaskId()))
                    .build());

    assertThat(response.getRefusals(0).getCode()).isEqualTo(StatusCode.PERMISSION_DENIED.number());
    assertTheRestComesOnce();
  }

  @Test
  void taskOfAStranger_isNotBegun() {
    TaskDef.Builder changed =
        TaskDef.newBuilder()
            .setTaskId(task.getTaskId())
            .setIterationId(task.getIterationId())
            .setWorkerAddress(worker.address())
            .setDatasetId("1");

    for (long id : List.of(task.getTaskId(), 99_999L)) {
      var _ =
          workerStub(toWorker)
              .processTask(ProcessTaskRequest.newBuilder().setTask(changed.setTaskId(id)).build());
    }

    assertTheRestComesOnce();
    assertThat(
            workerStub(toWorker)
                .getWorkerTasks(GetWorkerTasksRequest.getDefaultInstance())
                .getTasksList())
        .noneMatch(known -> known.getTaskId() == 99_999);
  }

  @Test
  void epochThatAStrangerClaims_isNotBelieved() {
    Metadata asking = new Metadata();
    asking.put(EPOCH, "?");
    AtomicReference<Metadata> headers = new AtomicReference<>();
    var _ =
        DispatcherServiceGrpc.newBlockingStub(
                ClientInterceptors.intercept(
                    toDispatcher,
                    MetadataUtils.newAttachHeadersInterceptor(asking),
                    MetadataUtils.newCaptureMetadataInterceptor(headers, new AtomicReference<>())))
            .getVersion(GetVersionRequest.getDefaultInstance());
    String journal = String.valueOf(headers.get().get(EPOCH)).split("/", -1)[0];
    Metadata claimed = new Metadata();
    claimed.put(EPOCH, journal + "/" + Long.MAX_VALUE);
    var _ =
        workerStub(
                ClientInterceptors.intercept(
                    toWorker, MetadataUtils.newAttachHeadersInterceptor(claimed)))
            .getWorkerTasks(GetWorkerTasksRequest.getDefaultInstance());

    assertTheRestComesOnce();
    assertThat(
            LongStream.range(0, 3)
                .mapToObj(_ -> Dataset.range(5).batch(5))
                .map(dataset ->
                    dataset
                        .apply(
                            DataService.distribute(
                                DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS),
                                dispatcher.target()))
                        .iterator())
                .map(iterator -> {
                  try (iterator) {
                    return iterator.next().tensor().longs().length;
                  }
                }))
        .containsExactly(5, 5, 5);
  }
}

package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.DisableCompressionAtRuntimeResponse;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceImplBase;
import io.headrace.proto.data.GetDatasetDefRequest;
import io.headrace.proto.data.GetDatasetDefResponse;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.GetVersionResponse;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.ProcessTaskRequest;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.data.WorkerUpdateResponse;
import io.headrace.proto.headrace.DeliveryRefusal;
import io.headrace.proto.headrace.DescribeTaskRequest;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc.DispatcherExtensionsImplBase;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.LeaveWorkerResponse;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportDeliveriesResponse;
import io.headrace.proto.headrace.ReportStagesRequest;
import io.headrace.proto.headrace.ReportStagesResponse;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A dispatcher on a port that replies as the test says and records its requests. */
final class FakeDispatcher implements AutoCloseable {
  final BlockingQueue<WorkerHeartbeatRequest> heartbeats = new LinkedBlockingQueue<>();
  final BlockingQueue<ExtendedWorkerHeartbeatRequest> extended = new LinkedBlockingQueue<>();
  final BlockingQueue<Long> finished = new LinkedBlockingQueue<>();
  final Queue<StatusException> refusals = new ConcurrentLinkedQueue<>();
  final Queue<TaskDef> newTasks = new ConcurrentLinkedQueue<>();
  final Queue<Long> toDelete = new ConcurrentLinkedQueue<>();
  final Set<Long> unknownTasks = ConcurrentHashMap.newKeySet();
  final Map<String, DatasetDef> datasets = new ConcurrentHashMap<>();

  /** The splits to hand out, one by one or in batches; an empty queue is the end. */
  final Queue<Long> splits = new ConcurrentLinkedQueue<>();

  /** An operator drains the worker. */
  volatile boolean drains;

  private final AtomicLong numSplitsTaken = new AtomicLong();

  final AtomicInteger splitRequests = new AtomicInteger();
  final BlockingQueue<ReportDeliveriesRequest> reports = new LinkedBlockingQueue<>();
  final BlockingQueue<ReportStagesRequest> stageReports = new LinkedBlockingQueue<>();
  final BlockingQueue<LeaveWorkerRequest> goodbyes = new LinkedBlockingQueue<>();

  /** Answers all reports of deliveries until it is taken away. */
  final Semaphore answersToReports = new Semaphore(Integer.MAX_VALUE);

  volatile DescribeTaskResponse description = DescribeTaskResponse.getDefaultInstance();

  volatile boolean compressionDisabled;
  volatile long version = 9;
  private final GrpcServer server;

  private FakeDispatcher(int port, boolean isStock) {
    Service service = new Service();
    server =
        GrpcServer.start(
            GrpcServerConfig.onPort(port),
            isStock
                ? List.of(service.bindService())
                : List.of(service.bindService(), new Extensions().bindService()));
  }

  static FakeDispatcher stock() {
    return new FakeDispatcher(0, true);
  }

  static FakeDispatcher ours() {
    return new FakeDispatcher(0, false);
  }

  static FakeDispatcher stockAt(int port) {
    return new FakeDispatcher(port, true);
  }

  int port() {
    return server.port();
  }

  String address() {
    return "localhost:" + port();
  }

  /** Gives a worker a task, and waits until the worker has it. */
  void assign(TaskDef task, WorkerServiceBlockingStub worker) {
    newTasks.add(task);
    var _ = worker.processTask(ProcessTaskRequest.newBuilder().setTask(task).build());
    GetWorkerTasksRequest all = GetWorkerTasksRequest.getDefaultInstance();
    while (worker.getWorkerTasks(all).getTasksList().stream()
        .noneMatch(known -> known.getTaskId() == task.getTaskId())) {
      Thread.onSpinWait();
    }
  }

  WorkerHeartbeatRequest nextHeartbeat() {
    return next(heartbeats);
  }

  static <T> T next(BlockingQueue<T> queue) {
    try {
      @Nullable T next = queue.poll(30, TimeUnit.SECONDS);
      assertThat(next).isNotNull();
      return next;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    server.close();
  }

  private WorkerHeartbeatResponse answer(WorkerHeartbeatRequest request) {
    @Nullable StatusException refusal = refusals.poll();
    heartbeats.add(request);
    if (refusal != null) {
      throw refusal;
    }
    WorkerHeartbeatResponse.Builder response = WorkerHeartbeatResponse.newBuilder();
    for (TaskDef task = newTasks.poll(); task != null; task = newTasks.poll()) {
      response.addNewTasks(
          task.getWorkerAddress().isEmpty()
              ? task.toBuilder().setWorkerAddress(request.getWorkerAddress()).build()
              : task);
    }
    for (Long id = toDelete.poll(); id != null; id = toDelete.poll()) {
      response.addTasksToDelete(id);
    }
    return response.build();
  }

  private static <T> void answer(StreamObserver<T> observer, T response) {
    observer.onNext(response);
    observer.onCompleted();
  }

  private final class Service extends DispatcherServiceImplBase {
    @Override
    public void getVersion(GetVersionRequest request, StreamObserver<GetVersionResponse> observer) {
      answer(observer, GetVersionResponse.newBuilder().setVersion(version).build());
    }

    @Override
    public void workerHeartbeat(
        WorkerHeartbeatRequest request, StreamObserver<WorkerHeartbeatResponse> observer) {
      answer(observer, FakeDispatcher.this.answer(request));
    }

    @Override
    public void workerUpdate(
        WorkerUpdateRequest request, StreamObserver<WorkerUpdateResponse> observer) {
      for (TaskProgress progress : request.getUpdatesList()) {
        if (unknownTasks.contains(progress.getTaskId())) {
          throw StatusException.of(StatusCode.NOT_FOUND, "Task %d not found", progress.getTaskId());
        }
        finished.add(progress.getTaskId());
      }
      answer(observer, WorkerUpdateResponse.getDefaultInstance());
    }

    @Override
    public void getDatasetDef(
        GetDatasetDefRequest request, StreamObserver<GetDatasetDefResponse> observer) {
      DatasetDef found = datasets.get(request.getDatasetId());
      if (found == null) {
        throw StatusException.of(
            StatusCode.NOT_FOUND, "Dataset id %s not found", request.getDatasetId());
      }
      answer(observer, GetDatasetDefResponse.newBuilder().setDatasetDef(found).build());
    }

    @Override
    public void getSplit(GetSplitRequest request, StreamObserver<GetSplitResponse> observer) {
      splitRequests.incrementAndGet();
      @Nullable Long split = splits.poll();
      answer(
          observer,
          split == null
              ? GetSplitResponse.newBuilder().setEndOfSplits(true).build()
              : GetSplitResponse.newBuilder()
                  .setSplit(TensorProtos.write(Tensor.scalar(split.longValue())))
                  .build());
    }

    @Override
    public void disableCompressionAtRuntime(
        DisableCompressionAtRuntimeRequest request,
        StreamObserver<DisableCompressionAtRuntimeResponse> observer) {
      answer(
          observer,
          DisableCompressionAtRuntimeResponse.newBuilder()
              .setCompressionDisabledAtRuntime(compressionDisabled)
              .build());
    }
  }

  private final class Extensions extends DispatcherExtensionsImplBase {
    @Override
    public void extendedWorkerHeartbeat(
        ExtendedWorkerHeartbeatRequest request,
        StreamObserver<ExtendedWorkerHeartbeatResponse> observer) {
      extended.add(request);
      WorkerHeartbeatResponse response = FakeDispatcher.this.answer(request.getHeartbeat());
      answer(
          observer,
          ExtendedWorkerHeartbeatResponse.newBuilder()
              .addAllNewTasks(response.getNewTasksList())
              .addAllTasksToDelete(response.getTasksToDeleteList())
              .setLeave(drains)
              .build());
    }

    @Override
    public void describeTask(
        DescribeTaskRequest request, StreamObserver<DescribeTaskResponse> observer) {
      answer(observer, description);
    }

    @Override
    public void reportDeliveries(
        ReportDeliveriesRequest request, StreamObserver<ReportDeliveriesResponse> observer) {
      reports.add(request);
      ReportDeliveriesResponse.Builder response = ReportDeliveriesResponse.newBuilder();
      for (TaskDeliveries task : request.getTasksList()) {
        if (unknownTasks.contains(task.getTaskId())) {
          response.addRefusals(
              DeliveryRefusal.newBuilder()
                  .setTaskId(task.getTaskId())
                  .setCode(StatusCode.NOT_FOUND.number()));
        }
      }
      answersToReports.acquireUninterruptibly();
      answersToReports.release();
      answer(observer, response.build());
    }

    @Override
    public void reportStages(
        ReportStagesRequest request, StreamObserver<ReportStagesResponse> observer) {
      stageReports.add(request);
      answer(observer, ReportStagesResponse.newBuilder().setNextMs(10).build());
    }

    @Override
    public void leaveWorker(
        LeaveWorkerRequest request, StreamObserver<LeaveWorkerResponse> observer) {
      goodbyes.add(request);
      answer(observer, LeaveWorkerResponse.getDefaultInstance());
    }

    @Override
    public void takeSplits(TakeSplitsRequest request, StreamObserver<TakeSplitsResponse> observer) {
      splitRequests.incrementAndGet();
      TakeSplitsResponse.Builder response =
          TakeSplitsResponse.newBuilder().setFirstSplit(numSplitsTaken.get());
      while (response.getValuesCount() < request.getMaxSplits() && !splits.isEmpty()) {
        response.addValues(splits.remove());
      }
      numSplitsTaken.addAndGet(response.getValuesCount());
      answer(
          observer,
          response
              .setNumSplits(response.getValuesCount())
              .setEndOfSplits(response.getValuesCount() == 0)
              .build());
    }
  }
}

package io.headrace.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.headrace.client.DataService;
import io.headrace.client.ServiceCompression;
import io.headrace.dataset.Dataset;
import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceBlockingStub;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceStub;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.GetWorkerTasksResponse;
import io.headrace.proto.data.ProcessTaskRequest;
import io.headrace.proto.data.ProcessTaskResponse;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.time.SystemTicker;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Scanner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Takes splits from a Headrace or stock dispatcher by TensorFlow's GetSplit: {@code SplitCallers
 * TARGET CALLERS}. Each caller calls again as soon as it has an answer.
 *
 * <p>Prints "ready", and answers "read SECONDS" with "read SPLITS SECONDS".
 */
@SuppressWarnings("SystemOut") // standard output carries the results
final class SplitCallers {
  private static final double NANOS = 1e9;
  private static final int CALLERS_PER_CONNECTION = 16;

  /** The id of the first iteration of every dispatcher; no RPC returns it to a client. */
  private static final long FIRST_ITERATION = 2000;

  private final GetSplitRequest request =
      GetSplitRequest.newBuilder().setIterationId(FIRST_ITERATION).build();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final LongAdder taken = new LongAdder();

  private SplitCallers() {}

  /** Runs until its input ends. */
  public static void main(String[] args) throws InterruptedException {
    String id =
        DataService.registerDataset(
            args[0], Dataset.range(1L << 60), ServiceCompression.NONE, Optional.empty());
    int callers = Integer.parseInt(args[1]);
    var stubs = new DispatcherServiceStub[callers];
    ManagedChannel channel = null;
    for (int i = 0; i < callers; i++) {
      if (channel == null || i % CALLERS_PER_CONNECTION == 0) {
        channel =
            ManagedChannelBuilder.forTarget(GrpcTargets.address(args[0])).usePlaintext().build();
      }
      stubs[i] = DispatcherServiceGrpc.newStub(channel);
    }
    var blocking = DispatcherServiceGrpc.newBlockingStub(channel);
    register(blocking);
    var _ = createIteration(blocking, id);
    var all = new SplitCallers();
    for (DispatcherServiceStub stub : stubs) {
      all.call(stub);
    }
    System.out.println("ready");
    var input = new Scanner(System.in, UTF_8);
    while (input.hasNext()) {
      input.next("read");
      all.read(input.nextDouble());
    }
  }

  /** Registers a stock worker, which does nothing but answer: splits are for workers. */
  private static void register(DispatcherServiceBlockingStub stub) {
    GrpcServer worker =
        GrpcServer.start(GrpcServerConfig.onPort(0), List.of(new Worker().bindService()));
    String address = "localhost:" + worker.port();
    var _ =
        stub.workerHeartbeat(
            WorkerHeartbeatRequest.newBuilder()
                .setWorkerAddress(address)
                .addTransferServers(
                    DataTransferServerInfo.newBuilder()
                        .setProtocol(GrpcTargets.GRPC)
                        .setAddress(address))
                .setWorkerUid(-1)
                .build());
  }

  /** A worker whose tasks stand still. */
  private static final class Worker extends WorkerServiceGrpc.WorkerServiceImplBase {
    private final Queue<TaskInfo> tasks = new ConcurrentLinkedQueue<>();

    @Override
    public void processTask(
        ProcessTaskRequest request, StreamObserver<ProcessTaskResponse> observer) {
      tasks.add(
          TaskInfo.newBuilder()
              .setWorkerAddress(request.getTask().getWorkerAddress())
              .setTaskId(request.getTask().getTaskId())
              .setIterationId(request.getTask().getIterationId())
              .build());
      observer.onNext(ProcessTaskResponse.getDefaultInstance());
      observer.onCompleted();
    }

    @Override
    public void getWorkerTasks(
        GetWorkerTasksRequest request, StreamObserver<GetWorkerTasksResponse> observer) {
      observer.onNext(GetWorkerTasksResponse.newBuilder().addAllTasks(tasks).build());
      observer.onCompleted();
    }
  }

  /**
   * Creates a job with dynamic sharding and its first iteration, as a stock client does.
   *
   * @return the client of the iteration
   */
  static long createIteration(DispatcherServiceBlockingStub stub, String datasetId) {
    long job =
        stub.getOrCreateJob(
                GetOrCreateJobRequest.newBuilder()
                    .setDatasetId(datasetId)
                    .setProcessingModeDef(
                        ProcessingModeDef.newBuilder().setShardingPolicy(ShardingPolicy.DYNAMIC))
                    .setTargetWorkers(TargetWorkers.TARGET_WORKERS_AUTO)
                    .build())
            .getJobId();
    return stub.getOrCreateIteration(GetOrCreateIterationRequest.newBuilder().setJobId(job).build())
        .getIterationClientId();
  }

  private void call(DispatcherServiceStub stub) {
    stub.getSplit(
        request,
        new StreamObserver<>() {
          @Override
          public void onNext(GetSplitResponse response) {
            taken.increment();
          }

          @Override
          public void onError(Throwable failure) {
            failures.add(failure);
          }

          @Override
          public void onCompleted() {
            call(stub);
          }
        });
  }

  private void read(double seconds) throws InterruptedException {
    long started = SystemTicker.INSTANCE.nanoTime();
    long before = taken.sum();
    Thread.sleep((long) (seconds * 1000));
    if (!failures.isEmpty()) {
      throw new IllegalStateException("a call failed", failures.peek());
    }
    long count = taken.sum() - before;
    double took = (SystemTicker.INSTANCE.nanoTime() - started) / NANOS;
    System.out.println("read " + count + " " + took);
  }
}

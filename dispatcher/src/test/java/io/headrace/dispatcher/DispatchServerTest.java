package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.GetWorkerTasksResponse;
import io.headrace.proto.data.ProcessTaskRequest;
import io.headrace.proto.data.ProcessTaskResponse;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceImplBase;
import io.headrace.proto.headrace.DispatcherAdminGrpc;
import io.headrace.proto.headrace.DispatcherAdminGrpc.DispatcherAdminBlockingStub;
import io.headrace.proto.headrace.DrainWorkerRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.runtime.status.StatusCode;
import io.opentelemetry.api.metrics.MeterProvider;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole server on real sockets. */
@Timeout(60)
final class DispatchServerTest {
  @Test
  void start_servesAtItsTarget() {
    try (DispatchServer server = DispatchServer.start(DispatcherConfig.defaults())) {
      assertThat(server.target()).isEqualTo("grpc://localhost:" + server.port());
      assertThat(server.address()).isEqualTo("localhost:" + server.port());
      assertThat(server.statistics().workers()).isEmpty();
    }
  }

  @Test
  void create_isNotStarted() {
    DispatchServer server = DispatchServer.create(DispatcherConfig.defaults());

    assertFails(StatusCode.FAILED_PRECONDITION, server::target).hasMessageContaining("not started");
  }

  @Test
  void start_twice_doesNoHarm() {
    try (DispatchServer server = DispatchServer.start(DispatcherConfig.defaults())) {
      int port = server.port();
      server.start();

      assertThat(server.port()).isEqualTo(port);
    }
  }

  @Test
  void stop_twice_doesNoHarmAndEndsJoin() throws InterruptedException {
    DispatchServer server = DispatchServer.start(DispatcherConfig.defaults());
    server.stop();
    server.stop();

    server.join();
  }

  @Test
  void start_afterStop_failsAsTensorFlows() {
    DispatchServer server = DispatchServer.create(DispatcherConfig.defaults());
    server.stop();

    assertFails(StatusCode.FAILED_PRECONDITION, server::start)
        .hasMessageContaining("Server cannot be started after it has been stopped.");
  }

  @Test
  void start_takenPort_isRefused() {
    try (DispatchServer server = DispatchServer.start(DispatcherConfig.defaults())) {
      DispatcherConfig same = DispatcherConfig.onPort(server.port());

      assertFails(StatusCode.UNAVAILABLE, () -> DispatchServer.start(same))
          .hasMessageContaining("port " + server.port());
    }
  }

  @Test
  void worker_thatListens_isToldOfItsTasks() throws InterruptedException {
    Worker worker = new Worker();
    try (DispatchServer server = DispatchServer.start(DispatcherConfig.defaults());
        GrpcServer listening =
            GrpcServer.start(GrpcServerConfig.onPort(0), List.of(worker.bindService()))) {
      ManagedChannel channel = GrpcChannels.open(server.address());
      var stub = DispatcherServiceGrpc.newBlockingStub(channel);
      var _ = stub.workerHeartbeat(TestDispatcher.report("localhost:" + listening.port()));
      String dataset =
          stub.getOrRegisterDataset(TestDispatcher.dataset("RangeDataset")).getDatasetId();
      long job = stub.getOrCreateJob(TestDispatcher.job(dataset)).getJobId();
      var _ = stub.getOrCreateIteration(TestDispatcher.iteration(job, 1));

      assertThat(worker.told.take()).isEqualTo(4000);
      GrpcChannels.close(channel);
    }
  }

  @Test
  void operatorsChanges_areForCallersOnItsHost() throws IOException {
    try (DispatchServer server = DispatchServer.start(DispatcherConfig.defaults())) {
      DrainWorkerRequest drain = DrainWorkerRequest.newBuilder().setWorkerAddress("w:1").build();

      assertFails(
          StatusCode.NOT_FOUND, () -> callAt("127.0.0.1", server, stub -> stub.drainWorker(drain)));
      for (InetAddress outside : outsideAddresses()) {
        assertFails(
                StatusCode.PERMISSION_DENIED,
                () -> callAt(outside.getHostAddress(), server, stub -> stub.drainWorker(drain)))
            .hasMessageContaining("DrainWorker changes something")
            .hasMessageContaining(outside.getHostAddress());
        var _ =
            callAt(
                outside.getHostAddress(),
                server,
                stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
      }
    }
  }

  /** This machine's IPv4 addresses but for those of its loopback interface. */
  private static List<InetAddress> outsideAddresses() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
        .toList();
  }

  private static <R> R callAt(
      String host, DispatchServer server, Function<DispatcherAdminBlockingStub, R> call) {
    ManagedChannel channel = GrpcChannels.open(host + ":" + server.port());
    try {
      return call.apply(DispatcherAdminGrpc.newBlockingStub(channel));
    } finally {
      GrpcChannels.close(channel);
    }
  }

  @Test
  void start_onAWorkDirThatIsInUse_isRefusedAndTheFirstGoesOn(@TempDir Path directory) {
    DispatcherConfig config = remembering(directory);
    try (DispatchServer first = DispatchServer.start(config)) {
      assertFails(StatusCode.FAILED_PRECONDITION, () -> DispatchServer.start(config))
          .hasMessageContaining("process " + ProcessHandle.current().pid());

      assertThat(register(first)).isEqualTo("1000");
    }
  }

  @Test
  void restart_onItsWorkDir_restoresItsState(@TempDir Path directory) {
    try (DispatchServer first = DispatchServer.start(remembering(directory))) {
      assertThat(register(first)).isEqualTo("1000");
    }
    try (DispatchServer second = DispatchServer.start(remembering(directory))) {
      assertThat(second.statistics().numDatasets()).isEqualTo(1);
      assertThat(register(second)).isEqualTo("1001");
    }
  }

  @Test
  void errorOnTheLoop_failsTheCallAndStopsTheServer(@TempDir Path directory)
      throws InterruptedException {
    AtomicBoolean broken = new AtomicBoolean();
    DispatchServer server =
        DispatchServer.create(
            remembering(directory), () -> breaking(remembering(directory), broken));
    server.start();
    assertThat(register(server)).isEqualTo("1000");
    broken.set(true);

    assertThatThrownBy(() -> register(server)).hasMessageContaining("UNAVAILABLE");
    assertFails(StatusCode.UNAVAILABLE, server::join)
        .hasMessageContaining("ended because of an internal error (java.lang.OutOfMemoryError");
    assertFails(StatusCode.UNAVAILABLE, server::statistics);
    try (DispatchServer next = DispatchServer.start(remembering(directory))) {
      assertThat(register(next)).isEqualTo("1001");
    }
  }

  @Test
  void errorAtTheStart_leavesTheWorkDirFree(@TempDir Path directory) {
    AtomicBoolean broken = new AtomicBoolean(true);
    DispatchServer server =
        DispatchServer.create(
            remembering(directory), () -> breaking(remembering(directory), broken));

    assertThatThrownBy(server::start).isInstanceOf(OutOfMemoryError.class);
    try (DispatchServer next = DispatchServer.start(remembering(directory))) {
      assertThat(register(next)).isEqualTo("1000");
    }
  }

  /** Dependencies with a clock that has no memory once {@code broken} is set. */
  private static DispatcherDependencies breaking(DispatcherConfig config, AtomicBoolean broken) {
    DispatcherDependencies system =
        DispatcherDependencies.system(config, MeterProvider.noop().get("test"));
    return new DispatcherDependencies(
        system.executor(),
        system.background(),
        () -> {
          if (broken.get()) {
            throw new OutOfMemoryError("of a test");
          }
          return system.ticker().nanoTime();
        },
        system.timer(),
        system.journal(),
        system.network(),
        system.random(),
        system.splitSources(),
        system.limits(),
        system.meter(),
        system.onClose());
  }

  private static DispatcherConfig remembering(Path directory) {
    return DispatcherConfig.builder().workDir(directory.toString()).faultTolerantMode(true).build();
  }

  private static String register(DispatchServer server) {
    ManagedChannel channel = GrpcChannels.open(server.address());
    try {
      return DispatcherServiceGrpc.newBlockingStub(channel)
          .withDeadlineAfter(Duration.ofSeconds(20))
          .getOrRegisterDataset(TestDispatcher.dataset("RangeDataset"))
          .getDatasetId();
    } finally {
      GrpcChannels.close(channel);
    }
  }

  /** A worker that only records its tasks. */
  private static final class Worker extends WorkerServiceImplBase {
    private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();

    @Override
    public void getWorkerTasks(
        GetWorkerTasksRequest request, StreamObserver<GetWorkerTasksResponse> reply) {
      GetWorkerTasksResponse.Builder response = GetWorkerTasksResponse.newBuilder();
      told.forEach(id -> response.addTasks(TaskInfo.newBuilder().setTaskId(id)));
      reply.onNext(response.build());
      reply.onCompleted();
    }

    @Override
    public void processTask(ProcessTaskRequest request, StreamObserver<ProcessTaskResponse> reply) {
      told.add(request.getTask().getTaskId());
      reply.onNext(ProcessTaskResponse.getDefaultInstance());
      reply.onCompleted();
    }
  }
}

package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.TextFormat;
import com.google.protobuf.TextFormat.ParseException;
import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.cluster.spec.ServerDefs.Overrides;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.execute.DeviceKernels;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The life cycle of servers, and the definitions from which they are created. */
final class ServerTest {
  private static final ServerDef LOCAL = ServerDefs.local(ConfigProto.getDefaultInstance());

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
      StatusCode code, ServerDef definition) {
    return assertThatThrownBy(() -> new Server(definition, ServerHost.ofProcess()).close())
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(code));
  }

  private static ServerDef at(String address) {
    return ServerDefs.of(ClusterSpec.of(Map.of("w", List.of(address))), Overrides.NONE);
  }

  @Test
  void port_isHeldBeforeTheStart_andFreeAfterTheStop() {
    Server made = new Server(LOCAL, ServerHost.ofProcess());
    String address = made.target().substring("grpc://".length());
    assertRefused(StatusCode.UNKNOWN, at(address))
        .hasMessageContaining("Could not start gRPC server at " + address + ": ");
    made.start();
    made.start();
    made.stop();
    try (Server next = new Server(at(address), ServerHost.ofProcess())) {
      assertThat(next.target()).isEqualTo("grpc://" + address);
    }
    assertThatThrownBy(made::start).hasMessage("Server has stopped.");
  }

  @Test
  void portThatIsTaken_isTheReason_thoughADeviceCannotBeClosed() {
    Accelerator stuck =
        new Accelerator() {
          @Override
          public String type() {
            return "STUCK";
          }

          @Override
          public long memoryLimit() {
            return 0;
          }

          @Override
          public String description() {
            return "";
          }

          @Override
          public DeviceKernels kernels() {
            return DeviceKernels.cpu();
          }

          @Override
          public void close() {
            throw StatusException.of(StatusCode.UNAVAILABLE, "the device does not answer");
          }
        };
    try (Server made = new Server(LOCAL, ServerHost.ofProcess())) {
      String address = made.target().substring("grpc://".length());
      ServerHost host = ServerHost.ofProcess().withAccelerators(_ -> List.of(stuck));

      assertThatThrownBy(() -> new Server(at(address), host).close())
          .hasMessageContaining("Could not start gRPC server at " + address)
          .satisfies(e ->
              assertThat(e.getSuppressed()[0]).hasMessageContaining("the device does not answer"));
    }
  }

  @Test
  void join_returnsAfterTheStop() throws InterruptedException {
    Server server = Server.startLocal();
    server.stop();
    server.join();
  }

  @Test
  void session_whoseTasksAreMissing_namesThemBeforeItsClientGivesUp() {
    ClusterSpec cluster =
        ClusterSpec.of(
            Map.of(
                "ps", List.of("localhost:" + TwoTasksTest.freePort()),
                "worker", List.of("localhost:0")));
    ConfigProto config = ConfigProto.newBuilder().setOperationTimeoutInMs(500).build();
    try (Server server =
        Server.start(ServerDefs.of(cluster, Overrides.task("worker", 0).withConfig(config)))) {
      Graph g = new Graph();
      Output one = g.constant(1f);
      try (Session session = Session.open(server.target(), g)) {
        assertThatThrownBy(() -> session.run(one))
            .hasMessageContainingAll("no response from /job:ps/replica:0/task:0;", "device_filters")
            .extracting(StatusException::codeOf)
            .isEqualTo(StatusCode.DEADLINE_EXCEEDED);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    ":0, grpc://localhost:",
    "127.0.0.1:0, grpc://127.0.0.1:",
    "far.invalid:0, grpc://far"
  })
  void target_namesTheHostOfTheAddress(String address, String start) {
    try (Server server = Server.start(at(address))) {
      assertThat(server.target()).startsWith(start);
      assertThat(server.serverDef()).isEqualTo(at(address));
    }
  }

  @Test
  void definition_thatIsWrong_isRefusedAsTensorFlowDoes() {
    assertRefused(StatusCode.NOT_FOUND, LOCAL.toBuilder().setProtocol("grpc+verbs").build())
        .hasMessageContaining("No server factory registered for the given ServerDef");
    assertRefused(StatusCode.INTERNAL, LOCAL.toBuilder().setJobName("other").build())
        .hasMessage("Job \"other\" was not defined in cluster");
    assertRefused(StatusCode.INTERNAL, LOCAL.toBuilder().setTaskIndex(1).build())
        .hasMessage("Task 1 was not defined in job \"localhost\"");
    assertRefused(StatusCode.INTERNAL, LOCAL.toBuilder().clearCluster().build())
        .hasMessage("Job \"localhost\" was not defined in cluster");
    assertRefused(StatusCode.INVALID_ARGUMENT, LOCAL.toBuilder().setReplica(1).build())
        .hasMessageContaining("explicit server port");
    assertRefused(StatusCode.INVALID_ARGUMENT, at("localhost"))
        .hasMessage("Could not parse port for local server from \"localhost\".");
    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        ServerDefs.of(
            ClusterSpec.of(Map.of("w", List.of("h:0", "a/b:2"))), Overrides.task("w", 0)));
    assertRefused(
            StatusCode.INVALID_ARGUMENT,
            ServerDefs.of(ClusterSpec.of(Map.of("my-job", List.of("h:0"))), Overrides.NONE))
        .hasMessageContaining("my-job");
  }

  /** The texts are the definitions of stock servers created from the same arguments. */
  @ParameterizedTest
  @MethodSource
  void definition_isThatOfStock(ClusterSpec cluster, String job, int task, String text)
      throws ParseException {
    ServerDef server = ServerDefs.of(cluster, Overrides.task(job, task));

    assertThat(server).isEqualTo(TextFormat.parse(text, ServerDef.class));
    assertThat(ServerDefs.of(server, Overrides.NONE)).isEqualTo(server);
    assertThat(ServerDefs.of(ClusterSpec.of(server.getCluster()), Overrides.task(job, task)))
        .isEqualTo(server);
  }

  static Stream<Arguments> definition_isThatOfStock() {
    return Stream.of(
        arguments(
            ClusterSpec.of(Map.of("local", List.of("localhost:2222"))),
            "local",
            0,
            """
            cluster { job { name: "local" tasks { key: 0 value: "localhost:2222" } } }
            job_name: "local" protocol: "grpc"
            """),
        arguments(
            ClusterSpec.of(Map.of("local", List.of("localhost:2222", "localhost:2223"))),
            "local",
            1,
            """
            cluster {
              job {
                name: "local"
                tasks { key: 0 value: "localhost:2222" } tasks { key: 1 value: "localhost:2223" }
              }
            }
            job_name: "local" task_index: 1 protocol: "grpc"
            """),
        arguments(
            ClusterSpec.ofSparse(
                Map.of("worker", Map.of(0, "w0:1", 7, "w7:2"), "ps", Map.of(0, "p0:3", 1, "p1:4"))),
            "worker",
            7,
            """
            cluster {
              job {
                name: "ps" tasks { key: 0 value: "p0:3" } tasks { key: 1 value: "p1:4" }
              }
              job {
                name: "worker" tasks { key: 0 value: "w0:1" } tasks { key: 7 value: "w7:2" }
              }
            }
            job_name: "worker" task_index: 7 protocol: "grpc"
            """));
  }

  @Test
  void definition_ofACluster_hasTheOnlyJobAndTask() {
    ServerDef server =
        ServerDefs.of(ClusterSpec.ofSparse(Map.of("local", Map.of(37, "h:0"))), Overrides.NONE);
    assertThat(server.getJobName()).isEqualTo("local");
    assertThat(server.getTaskIndex()).isEqualTo(37);
    ClusterSpec two = ClusterSpec.of(Map.of("a", List.of("h:1"), "b", List.of("h:2", "h:3")));
    assertThatThrownBy(() -> ServerDefs.of(two, Overrides.NONE)).hasMessageContaining("`job_name`");
    Overrides job =
        new Overrides(
            Optional.of("b"), Optional.empty(), Optional.empty(), ConfigProto.getDefaultInstance());
    assertThatThrownBy(() -> ServerDefs.of(two, job)).hasMessageContaining("`task_index`");
  }

  @Test
  void server_isMadeFromEachKindOfDefinition_asOverridesSay() {
    ClusterSpec cluster =
        ClusterSpec.of(Map.of("a", List.of("h:0"), "b", List.of("h:0", "127.0.0.1:0")));
    ConfigProto two = ConfigProto.newBuilder().putDeviceCount("CPU", 2).build();
    Overrides overrides =
        Overrides.NONE.withJobName("b").withTaskIndex(1).withProtocol("grpc").withConfig(two);
    ServerDef first = ServerDefs.of(cluster, Overrides.task("a", 0));
    try (Server ofSpec = Server.create(cluster, overrides);
        Server ofMessage = Server.create(cluster.asClusterDef(), overrides);
        Server ofServer = Server.create(first, overrides)) {
      for (Server made : List.of(ofSpec, ofMessage, ofServer)) {
        assertThat(made.serverDef()).isEqualTo(ofSpec.serverDef());
        assertThat(made.target()).startsWith("grpc://127.0.0.1:");
        assertThat(made.devices())
            .extracting("name")
            .containsExactly(
                "/job:b/replica:0/task:1/device:CPU:0", "/job:b/replica:0/task:1/device:CPU:1");
      }
    }
    assertThatThrownBy(() -> Server.create(cluster, overrides.withProtocol("grpc+verbs")))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.NOT_FOUND);
  }

  @Test
  void localServer_isMadeOrStarted() {
    ConfigProto two = ConfigProto.newBuilder().putDeviceCount("CPU", 2).build();
    Graph g = new Graph();
    Output one = g.constant(1f);
    try (Server made = Server.createLocal(two);
        Server started = Server.startLocal(two)) {
      made.start();
      for (Server server : List.of(made, started)) {
        assertThat(server.devices()).hasSize(2);
        try (Session session = Session.open(server.target(), g)) {
          assertThat(session.run(one).floats()).containsExactly(1);
        }
      }
    }
  }

  @Test
  void overrides_mergeTheirConfigIntoTheDefinitions() {
    ConfigProto two = ConfigProto.newBuilder().putDeviceCount("CPU", 2).build();
    ConfigProto soft = ConfigProto.newBuilder().setAllowSoftPlacement(true).build();
    ServerDef server = ServerDefs.of(ServerDefs.local(two), Overrides.NONE.withConfig(soft));
    assertThat(server.getDefaultSessionConfig())
        .isEqualTo(two.toBuilder().setAllowSoftPlacement(true).build());
  }

  private static boolean isForgotten(Session session, Output fetch) {
    try {
      var _ = session.run(fetch);
      return false;
    } catch (StatusException e) {
      assertThat(e.code()).isEqualTo(StatusCode.ABORTED);
      assertThat(e.message()).contains("is not found");
      return true;
    }
  }

  @Test
  void session_thatNobodyUses_isClosed_ifItsTimeIsBounded() throws InterruptedException {
    AtomicLong nanos = new AtomicLong();
    ServerHost host = ServerHost.ofProcess();
    ServerHost bounded =
        new ServerHost(
            host.ops(),
            nanos::get,
            host.random(),
            host.receiveBudget(),
            host.kernelThreads(),
            Timeouts.DEFAULT.withSession(Duration.ofMillis(20)),
            host.accelerators());
    Graph g = new Graph();
    Output one = g.constant(1f);
    try (Server server = new Server(LOCAL, bounded)) {
      server.start();
      try (Session session = Session.open(server.target(), g)) {
        assertThat(session.run(one).floats()).containsExactly(1);
        assertThat(session.run(one).floats()).containsExactly(1);
        long started = System.nanoTime();
        do {
          assertThat(System.nanoTime() - started).isLessThan(Duration.ofSeconds(60).toNanos());
          nanos.addAndGet(Duration.ofMinutes(1).toNanos()); // each check uses the session
          Thread.sleep(30);
        } while (!isForgotten(session, one));
      }
    }
  }
}

package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.grpc.ManagedChannel;
import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.proto.tensorflow.CloseSessionRequest;
import io.headrace.proto.tensorflow.CreateSessionRequest;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.MasterServiceGrpc;
import io.headrace.proto.tensorflow.MasterServiceGrpc.MasterServiceBlockingStub;
import io.headrace.proto.tensorflow.RunStepRequest;
import io.headrace.proto.tensorflow.RunStepResponse;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.proto.tensorflow.error.Code;
import io.headrace.rpc.GrpcChannels;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster of two tasks, one of them behind a relay that can be cut. */
@Timeout(120)
final class SilentTaskTest {
  private static final String ON_BOTH =
      """
      node { name: "one" op: "Const" device: "/job:ps/task:0"
        attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
      node { name: "two" op: "AddV2" input: "one" input: "one" device: "/job:worker/task:0"
        attr { key: "T" value { type: DT_FLOAT } } }
      """;

  private static final int PS_PORT = TwoTasksTest.freePort();
  private static final int WORKER_PORT = TwoTasksTest.freePort();

  private final Relay network = Relay.open(PS_PORT);
  private final ClusterSpec cluster =
      ClusterSpec.of(
          Map.of("ps", List.of(network.address()), "worker", List.of("localhost:" + WORKER_PORT)));
  private final Server ps = server("ps", PS_PORT, Timeouts.DEFAULT.peer());
  private final Server worker = server("worker", WORKER_PORT, Duration.ofSeconds(4));
  private final ManagedChannel channel = GrpcChannels.open("localhost:" + WORKER_PORT);
  private final MasterServiceBlockingStub master = MasterServiceGrpc.newBlockingStub(channel);

  private Server server(String job, int port, Duration peerTimeout) {
    ServerDef definition =
        ServerDefs.of(cluster, ServerDefs.Overrides.task(job, 0)).toBuilder().setPort(port).build();
    Server server =
        new Server(
            definition,
            ServerHost.ofProcess()
                .withTimeouts(Timeouts.DEFAULT.withPeer(peerTimeout).withStop(Duration.ZERO)));
    server.start();
    return server;
  }

  @AfterEach
  void stop() {
    GrpcChannels.close(channel);
    network.close();
    worker.close();
    ps.close();
  }

  private String open() throws TextFormat.ParseException {
    return master
        .createSession(
            CreateSessionRequest.newBuilder()
                .setGraphDef(TextFormat.parse(ON_BOTH, GraphDef.class))
                .build())
        .getSessionHandle();
  }

  private RunStepResponse run(String session) {
    return master
        .withDeadlineAfter(60, TimeUnit.SECONDS)
        .runStep(
            RunStepRequest.newBuilder()
                .setSessionHandle(session)
                .addFetch("two:0")
                .setStoreErrorsInResponseBody(true)
                .build());
  }

  private static void assertNamesTheSilentTask(RunStepResponse response) {
    assertThat(response.getStatusCode()).isEqualTo(Code.UNAVAILABLE);
    assertThat(response.getStatusErrorMessage())
        .contains("From /job:ps/replica:0/task:0:\n", "sign of life");
  }

  @Test
  void step_whoseTaskFallsSilent_isUnavailable_andNamesTheTask() throws Exception {
    String session = open();
    assertThat(run(session).getStatusErrorMessage()).isEmpty();
    network.cut();
    assertNamesTheSilentTask(run(session));
  }

  @Test
  void newStep_ofASilentTask_isUnavailable_andItsSessionCanBeClosed() throws Exception {
    String session = open();
    network.cut();
    assertNamesTheSilentTask(run(session));
    assertThat(
            master
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .closeSession(CloseSessionRequest.newBuilder().setSessionHandle(session).build()))
        .isNotNull();
  }
}

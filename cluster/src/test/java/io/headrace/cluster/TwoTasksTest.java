package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.grpc.ManagedChannel;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.proto.tensorflow.CreateSessionRequest;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.MasterServiceGrpc;
import io.headrace.proto.tensorflow.MasterServiceGrpc.MasterServiceBlockingStub;
import io.headrace.proto.tensorflow.RunStepRequest;
import io.headrace.proto.tensorflow.RunStepResponse;
import io.headrace.proto.tensorflow.error.Code;
import io.headrace.rpc.FreePort;
import io.headrace.rpc.GrpcChannels;
import io.headrace.runtime.tensor.TensorProtos;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A cluster of two tasks in one process. */
final class TwoTasksTest {
  private static final String GRAPH =
      """
      node { name: "v" op: "VariableV2" device: "/job:ps/task:0"
        attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } }
      node { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } }
      node { name: "set" op: "Assign" input: "v" input: "two"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "double" op: "AddV2" input: "v" input: "v" device: "/job:worker/task:0"
        attr { key: "T" value { type: DT_FLOAT } } }
      """;

  private final ClusterSpec cluster =
      ClusterSpec.of(Map.of("ps", List.of(freeAddress()), "worker", List.of(freeAddress())));

  private Server ps = Server.start(cluster, "ps", 0);
  private final Server worker = Server.start(cluster, "worker", 0);
  private final ManagedChannel channel = GrpcChannels.open(cluster.taskAddress("worker", 0));
  private final MasterServiceBlockingStub master = MasterServiceGrpc.newBlockingStub(channel);

  private static String freeAddress() {
    return "localhost:" + freePort();
  }

  /** A local port that was just free. */
  static int freePort() {
    return FreePort.find(new Random());
  }

  @AfterEach
  void stop() {
    GrpcChannels.close(channel);
    worker.close();
    ps.close();
  }

  private String open(String graph) {
    try {
      GraphDef definition = TextFormat.parse(graph, GraphDef.class);
      return master
          .createSession(CreateSessionRequest.newBuilder().setGraphDef(definition).build())
          .getSessionHandle();
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void filter_thatAdmitsAnotherDeviceOfATask_leavesOutTheRest() throws TextFormat.ParseException {
    CreateSessionRequest.Builder request =
        CreateSessionRequest.newBuilder().setGraphDef(TextFormat.parse(GRAPH, GraphDef.class));
    request.getConfigBuilder().addDeviceFilters("/job:ps/device:CPU:0");
    assertThat(master.createSession(request.build()).getSessionHandle()).isNotEmpty();
    request.getConfigBuilder().setDeviceFilters(0, "/job:ps/device:CPU:1");
    assertThatThrownBy(() -> master.createSession(request.build()))
        .hasMessageContaining("INVALID_ARGUMENT")
        .hasMessageContaining("Cannot assign a device for operation v");
  }

  private RunStepResponse run(String session, String fetch, String... targets) {
    return master.runStep(
        RunStepRequest.newBuilder()
            .setSessionHandle(session)
            .addFetch(fetch)
            .addAllTarget(List.of(targets))
            .setStoreErrorsInResponseBody(true)
            .build());
  }

  private static float value(RunStepResponse response) {
    assertThat(response.getStatusErrorMessage()).isEmpty();
    return TensorProtos.read(response.getTensor(0).getTensor()).floats()[0];
  }

  @Test
  void step_runsWhereItsNodesAre_andTellsOneErrorOnce() {
    String session = open(GRAPH);
    assertThat(run(session, "double:0").getStatusErrorMessage())
        .isEqualTo(
            "From /job:ps/replica:0/task:0:\nAttempting to use uninitialized value v\n"
                + "\t [[{{node v_S1}}]]");
    assertThat(value(run(session, "set:0"))).isEqualTo(2);
    assertThat(value(run(session, "double:0"))).isEqualTo(4);
  }

  /**
   * The variable's task could send the value at once, while the update needs the other task. An
   * update in an untaken branch changes nothing and delays nothing.
   */
  @Test
  void variable_thatAStepChanges_isFetchedAsTheStepLeavesIt() {
    String session =
        open(
            GRAPH
                + """
                node { name: "add" op: "AssignAdd" input: "v" input: "double"
                  attr { key: "T" value { type: DT_FLOAT } } }
                node { name: "read" op: "Identity" input: "v" device: "/job:ps/task:0"
                  attr { key: "T" value { type: DT_FLOAT } } }
                node { name: "no" op: "Const" attr { key: "dtype" value { type: DT_BOOL } }
                  attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape {}
                    bool_val: false } } } }
                node { name: "branch" op: "Switch" input: "double" input: "no"
                  attr { key: "T" value { type: DT_FLOAT } } }
                node { name: "untaken" op: "AssignAdd" input: "v" input: "branch:1"
                  attr { key: "T" value { type: DT_FLOAT } } }
                """);
    assertThat(value(run(session, "v:0", "set"))).isEqualTo(2);
    assertThat(value(run(session, "v:0", "add"))).isEqualTo(6);
    assertThat(value(run(session, "v:0", "untaken"))).isEqualTo(6);
    assertThat(value(run(session, "v:0", "untaken", "add"))).isEqualTo(18);
    assertThat(value(run(session, "read:0", "add"))).isEqualTo(54);
    assertThat(value(run(session, "v:0"))).isEqualTo(54);
  }

  /** Retries until the connection to the restarted task is up. */
  private RunStepResponse runOnceReached(String session) {
    long started = System.nanoTime();
    RunStepResponse response;
    do {
      response = run(session, "double:0");
    } while (response.getStatusCode() == Code.UNAVAILABLE
        && System.nanoTime() - started < Duration.ofSeconds(60).toNanos());
    return response;
  }

  @Test
  void session_whoseTaskWasRestarted_isAborted() {
    String session = open(GRAPH);
    value(run(session, "set:0"));
    ps.close();
    assertThat(run(session, "double:0").getStatusCode()).isEqualTo(Code.UNAVAILABLE);
    ps = Server.start(cluster, "ps", 0);
    RunStepResponse response = runOnceReached(session);
    assertThat(response.getStatusCode()).isEqualTo(Code.ABORTED);
    assertThat(response.getStatusErrorMessage()).contains("/job:ps/replica:0/task:0");
    assertThat(run(open(GRAPH), "double:0").getStatusErrorMessage()).contains("uninitialized");
  }
}

package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** RemoteCall: nodes that call a function on the device named by a tensor. */
@Timeout(120)
final class RemoteCallTest {
  /** Each task has its own variable v; f(x) = x * v uses that of the task where it runs. */
  private static final String GRAPH =
      """
      node { name: "ps_v" op: "VarHandleOp" device: "/job:ps/task:0" #F
        attr { key: "shape" value { shape { } } } attr { key: "shared_name" value { s: "v" } } }
      node { name: "worker_v" op: "VarHandleOp" device: "/job:worker/task:0" #F
        attr { key: "shape" value { shape { } } } attr { key: "shared_name" value { s: "v" } } }
      node { name: "three" op: "Const" #F
        attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 3 } } } }
      node { name: "five" op: "Const" #F
        attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 5 } } } }
      node { name: "ps_set" op: "AssignVariableOp" input: "ps_v" input: "three" #F }
      node { name: "worker_set" op: "AssignVariableOp" input: "worker_v" input: "five" #F }
      node { name: "target" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
      node { name: "call" op: "RemoteCall" input: "target" input: "five"
        device: "/job:worker/task:0"
        attr { key: "Tin" value { list { type: DT_FLOAT } } }
        attr { key: "Tout" value { list { type: DT_FLOAT } } }
        attr { key: "f" value { func { name: "f" } } } }
      library { function {
        signature { name: "f" is_stateful: true input_arg { name: "x" type: DT_FLOAT }
          output_arg { name: "y" type: DT_FLOAT } }
        node_def { name: "v" op: "VarHandleOp" #F
          attr { key: "shape" value { shape { } } } attr { key: "shared_name" value { s: "v" } } }
        node_def { name: "read" op: "ReadVariableOp" input: "v:resource:0" #F }
        node_def { name: "product" op: "Mul" input: "x" input: "read:value:0"
          attr { key: "T" value { type: DT_FLOAT } } }
        ret { key: "y" value: "product:z:0" } } }
      """;

  private final ClusterSpec cluster =
      ClusterSpec.of(
          Map.of(
              "ps", List.of("localhost:" + TwoTasksTest.freePort()),
              "worker", List.of("localhost:" + TwoTasksTest.freePort())));
  private final Server ps = Server.start(cluster, "ps", 0);
  private final Server worker = Server.start(cluster, "worker", 0);

  @AfterEach
  void stop() {
    worker.close();
    ps.close();
  }

  private Session open() throws TextFormat.ParseException {
    String type = "attr { key: \"dtype\" value { type: DT_FLOAT } }";
    GraphDef graph = TextFormat.parse(GRAPH.replace("#F", type), GraphDef.class);
    Session session = Session.open(worker.target(), graph, ConfigProto.getDefaultInstance());
    var _ = session.runner().target("ps_set").target("worker_set").run();
    return session;
  }

  private static float call(Session session, String target) {
    return session
        .runner()
        .feed(TensorName.parse("target"), Tensor.scalar(target))
        .fetch(TensorName.parse("call"))
        .run()
        .getFirst()
        .floats()[0];
  }

  @Test
  void function_runsOnTheDeviceThatIsNamed_withWhatItHolds() throws Exception {
    try (Session session = open()) {
      for (int i = 0; i < 2; i++) {
        assertThat(call(session, "/job:ps/replica:0/task:0/device:CPU:0")).isEqualTo(15);
        assertThat(call(session, "/job:worker/replica:0/task:0/device:CPU:0")).isEqualTo(25);
      }
      assertThat(call(session, "/device:CPU:0")).as("its own").isEqualTo(25);
    }
  }

  @Test
  void target_thatThereIsNot_isRefused() throws Exception {
    try (Session session = open()) {
      for (String target :
          List.of("/job:tpu/task:0/device:CPU:0", "/job:ps/task:0/device:CPU:7", "nowhere")) {
        assertThatThrownBy(() -> call(session, target))
            .extracting(StatusException::codeOf)
            .isEqualTo(StatusCode.INVALID_ARGUMENT);
      }
    }
  }
}

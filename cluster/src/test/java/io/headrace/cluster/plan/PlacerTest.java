package io.headrace.cluster.plan;

import static io.headrace.cluster.plan.GraphText.FLOAT;
import static io.headrace.cluster.plan.GraphText.node;
import static io.headrace.cluster.plan.GraphText.number;
import static io.headrace.cluster.plan.GraphText.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The placement of nodes on fictitious devices. */
final class PlacerTest {
  private static final String WORKER = "/job:worker/replica:0/task:0/device:CPU:0";
  private static final String PS = "/job:ps/replica:0/task:0/device:CPU:0";
  private static final String PS_GPU = "/job:ps/replica:0/task:0/device:GPU:0";
  private static final String OTHER = "/job:ps/replica:0/task:1/device:CPU:0";
  private static final String VARIABLE =
      "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape { } } } ";

  /** Devices of these names; the first is the master's. */
  static DeviceSet devices(String... names) {
    List<DeviceSet.ClusterDevice> devices = new ArrayList<>();
    for (String name : names) {
      DeviceSpec spec = DeviceSpec.parse(name);
      DeviceAttributes attributes =
          DeviceAttributes.newBuilder()
              .setName(name)
              .setDeviceType(spec.type().orElseThrow())
              .setIncarnation(7)
              .build();
      devices.addAll(DeviceSet.of(spec.taskOnly(), List.of(attributes), name.equals(names[0])));
    }
    return new DeviceSet(devices);
  }

  private static Map<String, String> place(String nodes, boolean isSoft) {
    SessionGraph graph =
        SessionGraph.create(
            GraphText.read(nodes),
            new SessionGraph.Setting(
                OpRegistry.standard(), devices(WORKER, PS, PS_GPU, OTHER), isSoft));
    Map<String, String> placed = new TreeMap<>();
    for (int i = 0; i < graph.devices().size(); i++) {
      placed.put(graph.graph().nodes().get(i).name(), graph.devices().get(i).name());
    }
    return placed;
  }

  private static String variables() {
    return node("v", "VariableV2", PS, VARIABLE) + node("w", "VariableV2", OTHER, VARIABLE);
  }

  private static String handles() {
    return node("v", "VarHandleOp", PS, VARIABLE) + node("w", "VarHandleOp", OTHER, VARIABLE);
  }

  @ParameterizedTest
  @CsvSource({
    "/job:ps/task:0," + PS,
    "/job:ps/task:0/gpu:0," + PS_GPU,
    "/device:GPU:0," + PS_GPU,
    "/job:ps/device:GPU:*," + PS_GPU,
    "/job:ps," + PS,
    "''," + WORKER
  })
  void deviceOfAnotherType_isUsedWhereItIsAskedFor_andOnlyThere(String asked, String expected) {
    String nodes = number("x", 1) + node("y", "Square", asked, FLOAT, "x");
    assertThat(place(nodes, false)).containsEntry("y", expected);
  }

  @Test
  void deviceOfATypeThatTheTaskHasNot_givesWay_ifThatIsAllowed() {
    String nodes = number("x", 1) + node("y", "Square", "/job:ps/task:1/gpu:0", FLOAT, "x");
    assertThat(place(nodes, true)).containsEntry("y", OTHER);
    assertThatThrownBy(() -> place(nodes, false))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("explicitly assigned to /job:ps/task:1/gpu:0")
        .hasMessageContaining(PS_GPU);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void node_thatTakesReferencesOfTwoTasks_isRefused_andMovesNeither(boolean isSoft) {
    String nodes =
        variables()
            + node(
                "i",
                "Const",
                "",
                "attr { key: 'dtype' value { type: DT_INT32 } } attr { key:"
                    + " 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } }")
            + node("r", "RefSelect", "", FLOAT + "attr { key: 'N' value { i: 2 } }", "i", "v", "w");
    assertThatThrownBy(() -> place(nodes, isSoft))
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessage(
            "Cannot place the graph because a reference or resource edge connects colocation groups"
                + " with incompatible resource devices: %s vs %s. The edge src node is name='w'"
                    .formatted(OTHER, PS)
                + " (op='VariableV2'), and the dst node is name='r' (op='RefSelect').");
  }

  @Test
  void user_ofAVariable_isWhereThatIs_whateverItAsksFor() {
    String read = "attr { key: 'dtype' value { type: DT_FLOAT } } ";
    String nodes = handles() + node("r", "ReadVariableOp", PS, read, "w");
    assertThat(place(nodes, false)).containsEntry("r", OTHER).containsEntry("w", OTHER);
  }

  @Test
  void node_thatOnlyPassesResourcesOn_mayTakeThoseOfTwoTasks() {
    String nodes =
        handles() + node("n", "IdentityN", "", types("T", "RESOURCE", "RESOURCE"), "v", "w");
    assertThat(place(nodes, false)).containsEntry("v", PS).containsEntry("w", OTHER);
  }
}

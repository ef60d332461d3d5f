package io.headrace.cluster.plan;

import static io.headrace.cluster.plan.GraphText.FLOAT;
import static io.headrace.cluster.plan.GraphText.LOWERED;
import static io.headrace.cluster.plan.GraphText.call;
import static io.headrace.cluster.plan.GraphText.calls;
import static io.headrace.cluster.plan.GraphText.function;
import static io.headrace.cluster.plan.GraphText.inner;
import static io.headrace.cluster.plan.GraphText.number;
import static io.headrace.cluster.plan.GraphText.read;
import static io.headrace.cluster.plan.GraphText.types;
import static io.headrace.cluster.plan.GraphText.variable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Node;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which nodes are lowered, and the placement of the result. */
final class LoweringTest {
  private static final String PS = "/job:ps/replica:0/task:0/device:CPU:0";
  private static final String OTHER = "/job:ps/replica:0/task:1/device:CPU:0";
  private static final String WORKER = "/job:worker/replica:0/task:0/device:CPU:0";
  private static final String[] X = {"x FLOAT"};
  private static final String[] ONE = {"FLOAT"};

  private final SessionGraph.Setting setting =
      new SessionGraph.Setting(OpRegistry.standard(), PlacerTest.devices(WORKER, PS, OTHER), false);

  private SessionGraph create(String... parts) {
    return SessionGraph.create(GraphText.read(String.join("", parts)), setting);
  }

  private static Node node(SessionGraph graph, String name) {
    Integer index = graph.graph().find(name);
    assertThat(index).as("node %s of %s", name, names(graph)).isNotNull();
    return graph.graph().nodes().get(index);
  }

  private static List<String> names(SessionGraph graph) {
    return graph.graph().nodes().stream().map(Node::name).toList();
  }

  private static Map<String, String> devices(SessionGraph graph) {
    return graph.graph().nodes().stream()
        .collect(
            Collectors.toMap(
                Node::name,
                node -> graph.devices().get(graph.graph().nodes().indexOf(node)).name()));
  }

  private static String square(String device) {
    return function("f", X, inner("y", "Square", device, FLOAT, "x"), "FLOAT y:y:0");
  }

  @ParameterizedTest
  @CsvSource({
    "'',/job:ps/task:0",
    "'',/job:ps",
    "/job:worker/task:0,/job:ps/task:1/cpu:0",
    "/job:ps/task:1,/task:0"
  })
  void call_ofAFunctionForAnotherDevice_isLowered(String asked, String inner) {
    SessionGraph graph = create(number("x", 3), call("c", asked, "f", ONE, "x"), square(inner));
    assertThat(node(graph, "c").op().name()).isEqualTo("NoOp");
    assertThat(devices(graph)).containsKey("_c/y").doesNotContainEntry("_c/y", WORKER);
  }

  @ParameterizedTest
  @CsvSource({
    "'',''",
    "'',/cpu:0",
    "'',/job:worker",
    "/job:ps/task:0,/job:ps/task:0",
    "/job:ps/task:0/cpu:0,/cpu:0"
  })
  void call_ofAFunctionForItsOwnDevice_staysOneNode(String asked, String inner) {
    SessionGraph graph = create(number("x", 3), call("c", asked, "f", ONE, "x"), square(inner));
    assertThat(names(graph)).containsExactly("x", "c");
  }

  @Test
  void call_whoseCalleesAskForAnotherDevice_isLowered_andThatAlone() {
    String plain = square("");
    String outer =
        function(
            "g",
            X,
            inner(
                    "f",
                    "PartitionedCall",
                    "",
                    types("Tin", "FLOAT") + types("Tout", "FLOAT") + calls("f", "f"),
                    "x")
                + inner("y", "Neg", PS, FLOAT, "f:output:0"),
            "FLOAT y:y:0");
    SessionGraph graph = create(number("x", 3), call("c", "", "g", ONE, "x"), plain, outer);
    assertThat(devices(graph)).containsEntry("_c/y", PS);
    assertThat(node(graph, "_c/f").op().name()).isEqualTo("PartitionedCall");
  }

  @Test
  void call_thatTakesVariablesOfTwoTasks_isLowered() {
    String[] types = {"RESOURCE", "RESOURCE"};
    String sum =
        function(
            "f",
            new String[] {"v RESOURCE", "w RESOURCE"},
            read("a", "", "v")
                + read("b", "", "w")
                + inner("y", "AddV2", "", FLOAT, "a:value:0", "b:value:0"),
            "FLOAT y:z:0");
    SessionGraph graph =
        create(
            variable("v", PS, 1),
            variable("w", OTHER, 2),
            call("c", "", "f", types, "v", "w"),
            sum);
    assertThat(devices(graph))
        .containsEntry("_c/a", PS)
        .containsEntry("_c/b", OTHER)
        .containsEntry("_c/y", WORKER)
        .containsEntry("v", PS)
        .containsEntry("w", OTHER);
  }

  @Test
  void call_thatAsksForAnotherDeviceThanItsVariables_isLowered_soThatOnlyReadsAreThere() {
    String[] types = {"RESOURCE"};
    String function =
        function(
            "f",
            new String[] {"v RESOURCE"},
            read("a", "", "v") + inner("y", "Square", "", FLOAT, "a:value:0"),
            "FLOAT y:y:0");
    String nodes = variable("v", PS, 1) + function;
    SessionGraph apart = create(nodes, call("c", OTHER, "f", types, "v"));
    assertThat(devices(apart)).containsEntry("_c/a", PS).containsEntry("_c/y", OTHER);
    SessionGraph together = create(nodes, call("c", "", "f", types, "v"));
    assertThat(devices(together)).containsEntry("c", PS).doesNotContainKey("_c/a");
  }

  @Test
  void functionThatCallsItself_staysACall() {
    String again =
        inner(
            "f",
            "PartitionedCall",
            PS,
            types("Tin", "FLOAT") + types("Tout", "FLOAT") + calls("f", "f"),
            "x");
    SessionGraph graph =
        create(
            number("x", 3),
            call("c", "", "f", ONE, "x"),
            function("f", X, again, "FLOAT f:output:0"));
    assertThat(node(graph, "c").op().name()).isEqualTo("StatefulPartitionedCall");
  }

  @Test
  void loop_ofWhichItIsNotSaid_isNotLowered_asInTensorFlow() {
    String attrs = types("T", "FLOAT") + calls("cond", "less") + calls("body", "f");
    String less =
        function(
            "less",
            X,
            inner("ten", "Const", "", GraphText.value(10))
                + inner("y", "Less", "", FLOAT, "x", "ten:output:0"),
            "BOOL y:z:0");
    for (boolean isSaid : new boolean[] {true, false}) {
      SessionGraph graph =
          create(
              number("x", 3),
              GraphText.node("c", "While", "", attrs + (isSaid ? LOWERED : ""), "x"),
              square(PS),
              less);
      assertThat(node(graph, "c").op().name()).isEqualTo(isSaid ? "NoOp" : "While");
    }
  }

  @Test
  void names_thatATakenOneWouldMeet_areOthers() {
    SessionGraph graph =
        create(
            number("x", 3),
            call("a", "", "f", ONE, "x"),
            call("a/b", "", "g", ONE, "x"),
            function("f", X, inner("b/c", "Square", PS, FLOAT, "x"), "FLOAT b/c:y:0"),
            function("g", X, inner("c", "Square", PS, FLOAT, "x"), "FLOAT c:y:0"));
    assertThat(names(graph)).contains("_a/b/c", "_a/b/c_1").doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {"_c/y", "_x"})
  void names_thatBeginWithAnUnderscore_areRefused(String name) {
    assertThatThrownBy(() -> create(number(name, 1)))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Illegal op name '" + name + "'");
  }

  @Test
  void colocation_withinAFunction_isWithItsNodes() {
    String with = "attr { key: '_class' value { list { s: 'loc:@%s' } } } ";
    SessionGraph graph =
        create(
            variable("v", OTHER, 1),
            call("c", "", "f", new String[] {"RESOURCE"}, "v"),
            function(
                "f",
                new String[] {"r RESOURCE"},
                read("a", "", "r")
                    + inner("y", "Square", PS, FLOAT, "a:value:0")
                    + inner("z", "Neg", "", FLOAT + with.formatted("y"), "y:y:0")
                    + inner("u", "Neg", "", FLOAT + with.formatted("r"), "z:y:0"),
                "FLOAT u:y:0"));
    assertThat(devices(graph)).containsEntry("_c/z", PS).containsEntry("_c/u", OTHER);
  }

  @Test
  void device_thatThereIsNot_isRefused_byTheNameOfTheNode() {
    assertThatThrownBy(
            () -> create(number("x", 3), call("c", "", "f", ONE, "x"), square("/job:ps/task:7")))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Cannot assign a device for operation _c/y")
        .hasMessageContaining("/job:ps/task:7");
    assertThatThrownBy(() -> create(number("x", 3), call("c", "", "f", ONE, "x"), square("ps")))
        .isInstanceOf(StatusException.class)
        .hasMessage("Malformed device specification 'ps' in node: {{node y}} of function f");
  }

  @Test
  void extension_takesWhatIsInPlaceOfWhatWasLowered() {
    SessionGraph graph =
        create(number("x", 3), call("c", "", "f", ONE, "x"), square(PS))
            .extended(GraphText.read(GraphText.node("z", "Neg", "", FLOAT, "c", "^c")), setting);
    Node node = node(graph, "z");
    assertThat(graph.graph().nodes().get(node.inputs().getFirst().node()).name())
        .isEqualTo("_c/output");
    assertThat(node.controlInputs()).containsExactly(graph.graph().find("c"));
  }

  @Test
  void functionsThatDoubleWithoutEnd_areRefused() {
    StringBuilder functions = new StringBuilder(square(PS));
    String called = "f";
    for (int i = 0; i < 80; i++) {
      String attrs = types("Tin", "FLOAT") + types("Tout", "FLOAT") + calls("f", called);
      called = "f" + i;
      functions.append(
          function(
              called,
              X,
              inner("a", "PartitionedCall", "", attrs, "x")
                  + inner("b", "PartitionedCall", "", attrs, "a:output:0"),
              "FLOAT b:output:0"));
    }
    String last = called;
    assertThatThrownBy(
            () -> create(number("x", 3), call("c", "", last, ONE, "x"), functions.toString()))
        .isInstanceOf(StatusException.class)
        .hasMessage("the functions that node c calls have more than 250000 nodes");
  }
}

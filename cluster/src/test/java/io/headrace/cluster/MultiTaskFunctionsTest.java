package io.headrace.cluster;

import static io.headrace.cluster.plan.GraphText.FLOAT;
import static io.headrace.cluster.plan.GraphText.LOWERED;
import static io.headrace.cluster.plan.GraphText.add;
import static io.headrace.cluster.plan.GraphText.call;
import static io.headrace.cluster.plan.GraphText.calls;
import static io.headrace.cluster.plan.GraphText.function;
import static io.headrace.cluster.plan.GraphText.inner;
import static io.headrace.cluster.plan.GraphText.node;
import static io.headrace.cluster.plan.GraphText.number;
import static io.headrace.cluster.plan.GraphText.placeholder;
import static io.headrace.cluster.plan.GraphText.read;
import static io.headrace.cluster.plan.GraphText.types;
import static io.headrace.cluster.plan.GraphText.value;
import static io.headrace.cluster.plan.GraphText.variable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.cluster.plan.GraphText;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Conditionals, loops and calls whose functions have nodes for several tasks, in a cluster of
 * three. A variable exists only at its own task, so a node that runs elsewhere does not find it.
 */
@Timeout(300)
final class MultiTaskFunctionsTest {
  private static final String PS = "/job:ps/task:0";
  private static final String OTHER = "/job:ps/task:1";
  private static final String WORKER = "/job:worker/task:0";
  private static final String[] X_AND_VARIABLES = {"x FLOAT", "v RESOURCE", "w RESOURCE"};
  private static final String[] TYPES = {"FLOAT", "RESOURCE", "RESOURCE"};
  private static final String VARIABLES = variable("v", PS, 3) + variable("w", OTHER, 5);

  private final ClusterSpec cluster =
      ClusterSpec.of(
          Map.of("ps", List.of(freeAddress(), freeAddress()), "worker", List.of(freeAddress())));

  private final List<Server> servers =
      List.of(
          Server.start(cluster, "worker", 0),
          Server.start(cluster, "ps", 0),
          Server.start(cluster, "ps", 1));

  private static String freeAddress() {
    return "localhost:" + TwoTasksTest.freePort();
  }

  @AfterEach
  void stop() {
    servers.forEach(Server::close);
  }

  private Session open(String... parts) {
    return Session.open(
        servers.getFirst().target(),
        GraphText.read(String.join("", parts)),
        ConfigProto.getDefaultInstance());
  }

  private Session openSet(String... parts) {
    Session session = open(VARIABLES + placeholder("x", "DT_FLOAT") + String.join("", parts));
    var _ = session.runner().target("v/set").target("w/set").run();
    return session;
  }

  private static float fetch(Session session, String tensor, float x) {
    return session
        .runner()
        .feed(TensorName.parse("x"), Tensor.scalar(x))
        .fetch(TensorName.parse(tensor))
        .run()
        .getFirst()
        .compact()
        .floats()[0];
  }

  /** x * v + w, with each operation at the task of its variable. */
  private static String affine() {
    return function(
        "affine",
        X_AND_VARIABLES,
        read("a", "", "v")
            + read("b", "", "w")
            + inner("m", "Mul", PS, FLOAT, "x", "a:value:0")
            + inner("y", "AddV2", OTHER, FLOAT, "m:z:0", "b:value:0"),
        "FLOAT y:z:0");
  }

  @Test
  void call_ofTwoTasks_computes_andMayBeFetchedFedAndAwaited() {
    try (Session session =
        openSet(
            call("c", WORKER, "affine", TYPES, "x", "v", "w"),
            node("next", "AddV2", "", FLOAT, "c", "c"),
            number("after", 9, "^c"),
            affine())) {
      assertThat(fetch(session, "c", 2)).isEqualTo(11);
      assertThat(fetch(session, "next", 4)).isEqualTo(34);
      assertThat(fetch(session, "after", 4)).isEqualTo(9);
      assertThat(
              session
                  .runner()
                  .feed(TensorName.parse("c:0"), Tensor.scalar(1f))
                  .fetch(TensorName.parse("next"))
                  .run()
                  .getFirst()
                  .compact()
                  .floats()[0])
          .isEqualTo(2);
    }
  }

  /** TensorFlow 1's loop {@code while (x < w) x = x + v}, and then an add to the variable v. */
  private static String oldLoop() {
    String frame =
        FLOAT
            + "attr { key: 'frame_name' value { s: 'frame' } } "
            + "attr { key: 'parallel_iterations' value { i: 10 } } ";
    String invariant = frame + "attr { key: 'is_constant' value { b: true } } ";
    String two = FLOAT + "attr { key: 'N' value { i: 2 } } ";
    return function(
        "loop",
        X_AND_VARIABLES,
        read("a", "", "v")
            + read("b", "", "w")
            + inner("enter", "Enter", "", frame, "x")
            + inner("by", "Enter", PS, invariant, "a:value:0")
            + inner("limit", "Enter", OTHER, invariant, "b:value:0")
            + inner("merge", "Merge", "", two, "enter:output:0", "next:output:0")
            + inner("less", "Less", OTHER, FLOAT, "merge:output:0", "limit:output:0")
            + inner("goes_on", "LoopCond", "", "", "less:z:0")
            + inner("switch", "Switch", "", FLOAT, "merge:output:0", "goes_on:output:0")
            + inner("add", "AddV2", PS, FLOAT, "switch:output_true:0", "by:output:0")
            + inner("next", "NextIteration", "", FLOAT, "add:z:0")
            + inner("exit", "Exit", "", FLOAT, "switch:output_false:0")
            + add("more", "", "v", "exit:output:0"),
        "FLOAT exit:output:0",
        "more");
  }

  @Test
  void loopOfTensorFlow1_inAFunctionOfTwoTasks_runsInAFrameForEachCall() {
    try (Session session =
        openSet(
            call("c", WORKER, "loop", TYPES, "x", "v", "w"),
            call("d", WORKER, "loop", TYPES, "c", "v", "w"),
            oldLoop())) {
      assertThat(fetch(session, "c", 0)).isEqualTo(6);
      assertThat(fetch(session, "v/read", 0)).isEqualTo(9);
      assertThat(fetch(session, "d", 1)).isEqualTo(10);
      assertThat(fetch(session, "v/read", 0)).isEqualTo(29);
    }
  }

  private static String counting() {
    return function(
        "count",
        X_AND_VARIABLES,
        add("a", "", "v", "x") + add("b", "", "w", "x") + inner("y", "Neg", OTHER, FLOAT, "x"),
        "FLOAT y:y:0",
        "a",
        "b");
  }

  @Test
  void effects_ofACall_areDone_whoeverTakesItsResult() {
    try (Session session =
        openSet(
            call("c", "", "count", TYPES, "x", "v", "w"),
            node("next", "Neg", "", FLOAT, "c"),
            counting())) {
      assertThat(fetch(session, "c", 2)).isEqualTo(-2);
      assertThat(fetch(session, "next", 4)).isEqualTo(4);
      var _ = session.runner().feed(TensorName.parse("x"), Tensor.scalar(1f)).target("c").run();
      assertThat(fetch(session, "v/read", 0)).isEqualTo(10);
      assertThat(fetch(session, "w/read", 0)).isEqualTo(12);
    }
  }

  /** The second input of the call is ready once the variable is set to nine. */
  @Test
  void effects_ofACall_waitForAllItsInputs() {
    String read =
        function(
            "f",
            new String[] {"x FLOAT", "z FLOAT", "v RESOURCE"},
            read("a", "", "v")
                + inner("s", "AddV2", OTHER, FLOAT, "a:value:0", "x")
                + inner("y", "AddV2", OTHER, FLOAT, "s:z:0", "z"),
            "FLOAT y:z:0");
    String[] types = {"FLOAT", "FLOAT", "RESOURCE"};
    String assign = "attr { key: 'dtype' value { type: DT_FLOAT } } ";
    try (Session session =
        openSet(
            number("nine", 9),
            node("set", "AssignVariableOp", "", assign, "v", "nine"),
            number("one", 1, "^set"),
            call("c", "", "f", types, "x", "one", "v"),
            read)) {
      for (int i = 0; i < 20; i++) {
        var _ = session.runner().target("v/set").run();
        assertThat(fetch(session, "c", 2)).isEqualTo(12);
      }
    }
  }

  private static String conditional(String name, String thenBranch, String elseBranch) {
    String attrs =
        LOWERED
            + "attr { key: 'Tcond' value { type: DT_FLOAT } } "
            + types("Tin", TYPES)
            + types("Tout", "FLOAT")
            + calls("then_branch", thenBranch)
            + calls("else_branch", elseBranch);
    return node(name, "If", "", attrs, "x", "x", "v", "w");
  }

  @Test
  void conditional_runsTheBranchThatIsTaken_andNotTheOther() {
    try (Session session = openSet(conditional("c", "count", "affine"), counting(), affine())) {
      assertThat(fetch(session, "c", 0)).isEqualTo(5);
      assertThat(fetch(session, "v/read", 0)).isEqualTo(3);
      assertThat(fetch(session, "c", 2)).isEqualTo(-2);
      assertThat(fetch(session, "v/read", 0)).isEqualTo(5);
      assertThat(fetch(session, "w/read", 0)).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @CsvSource({"0,-2", "1,11", "2,6", "3,6", "-1,6"})
  void case_takesTheLastBranch_forEveryOtherIndex(int index, float expected) {
    String branches =
        "attr { key: 'branches' value { list { func { name: 'count' } func { name: 'affine' } func"
            + " { name: 'plain' } } } } ";
    String attrs = LOWERED + types("Tin", TYPES) + types("Tout", "FLOAT") + branches;
    String plain =
        function(
            "plain",
            X_AND_VARIABLES,
            read("a", "", "v") + inner("y", "Mul", PS, FLOAT, "x", "a:value:0"),
            "FLOAT y:z:0");
    try (Session session =
        openSet(
            placeholder("i", "DT_INT32"),
            node("c", "Case", "", attrs, "i", "x", "v", "w"),
            counting(),
            affine(),
            plain)) {
      Tensor result =
          session
              .runner()
              .feed(TensorName.parse("x"), Tensor.scalar(2f))
              .feed(TensorName.parse("i"), Tensor.scalar(index))
              .fetch(TensorName.parse("c"))
              .run()
              .getFirst();
      assertThat(result.compact().floats()[0]).isEqualTo(expected);
    }
  }

  private static String loop(String body) {
    String attrs = LOWERED + types("T", TYPES) + calls("cond", "below") + calls("body", body);
    String below =
        function(
            "below",
            X_AND_VARIABLES,
            inner("ten", "Const", OTHER, value(10))
                + inner("y", "Less", OTHER, FLOAT, "x", "ten:output:0"),
            "BOOL y:z:0");
    return node("c", "While", "", attrs, "x", "v", "w") + below;
  }

  /** A loop body that returns both resources unchanged. */
  private static String body(String name, String nodes, String effects) {
    String text = function(name, X_AND_VARIABLES, nodes, "FLOAT y:z:0", effects.split(" "));
    return text.replace(
            "output_arg { name: 'r' type: DT_FLOAT }",
            "output_arg { name: 'r' type: DT_FLOAT } output_arg { name: 's' type: DT_RESOURCE }"
                + " output_arg { name: 't' type: DT_RESOURCE }")
        .replace(
            "ret { key: 'r' value: 'y:z:0' }",
            "ret { key: 'r' value: 'y:z:0' } ret { key: 's' value: 'v' } ret { key: 't' value:"
                + " 'w' }");
  }

  @Test
  void loop_overVariablesOfTwoTasks_changesThemOnceInEachIteration() {
    String nodes =
        inner("one", "Const", PS, value(1))
            + inner("two", "Const", OTHER, value(2))
            + add("a", "", "v", "one:output:0")
            + add("b", "", "w", "two:output:0")
            + inner("y", "AddV2", PS, FLOAT, "x", "one:output:0");
    try (Session session = openSet(loop("next"), body("next", nodes, "a b"))) {
      assertThat(fetch(session, "c", 4)).isEqualTo(10);
      assertThat(fetch(session, "v/read", 0)).isEqualTo(3 + 6);
      assertThat(fetch(session, "w/read", 0)).isEqualTo(5 + 12);
      assertThat(fetch(session, "c", 20)).isEqualTo(20);
      var _ = session.runner().feed(TensorName.parse("x"), Tensor.scalar(9f)).target("c").run();
      assertThat(fetch(session, "v/read", 0)).isEqualTo(3 + 7);
      assertThat(fetch(session, "w/read", 0)).isEqualTo(5 + 14);
    }
  }

  @Test
  void error_ofAFunction_namesItsNode() {
    String bad =
        function(
            "bad",
            X_AND_VARIABLES,
            read("a", "", "v")
                + read("b", "", "w")
                + inner(
                    "y",
                    "CheckNumerics",
                    OTHER,
                    FLOAT + "attr { key: 'message' value { s: 'odd'" + " } }",
                    "x"),
            "FLOAT y:output:0");
    try (Session session = openSet(call("c", "", "bad", TYPES, "x", "v", "w"), bad)) {
      assertThatThrownBy(() -> fetch(session, "c", Float.NaN))
          .satisfies(
              e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT))
          .hasMessageContaining("{{node _c/y}}")
          .hasMessageContaining("From /job:ps/replica:0/task:1");
    }
  }
}

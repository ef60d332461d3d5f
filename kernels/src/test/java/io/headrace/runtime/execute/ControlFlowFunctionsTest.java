package io.headrace.runtime.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.OutputBudget;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Functions with TensorFlow 1's control flow: Switch and Merge, Enter and NextIteration. */
final class ControlFlowFunctionsTest {
  private static final String INT = "attr { key: 'T' value { type: DT_INT64 } }";
  private static final String TWO = INT + " attr { key: 'N' value { i: 2 } }";

  private static String node(String name, String op, String attrs, String... inputs) {
    StringBuilder node = new StringBuilder("node_def { name: '" + name + "' op: '" + op + "' ");
    for (String input : inputs) {
      node.append("input: '").append(input).append("' ");
    }
    return node.append(attrs).append(" }\n").toString();
  }

  private static String number(String name, long value, String... controls) {
    return node(
        name,
        "Const",
        "attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { tensor {"
            + " dtype: DT_INT64 tensor_shape { } int64_val: "
            + value
            + " } } }",
        controls);
  }

  private static String enter(String name, String frame, boolean isConstant, String input) {
    String attrs =
        " attr { key: 'frame_name' value { s: '%s' } } attr { key: 'is_constant' value { b: %s } }"
            .formatted(frame, isConstant);
    return node(name, "Enter", INT + attrs, input);
  }

  /** {@code i = start; while (i < limit) i = i + step}, from names of endpoints. */
  private static String loop(String prefix, String start, String limit, String step) {
    return enter(prefix + "enter", prefix, false, start)
        + enter(prefix + "limit", prefix, true, limit)
        + enter(prefix + "by", prefix, true, step)
        + node(prefix + "merge", "Merge", TWO, prefix + "enter:output:0", prefix + "next:output:0")
        + node(prefix + "less", "Less", INT, prefix + "merge:output:0", prefix + "limit:output:0")
        + node(prefix + "cond", "LoopCond", "", prefix + "less:z:0")
        + node(
            prefix + "switch", "Switch", INT, prefix + "merge:output:0", prefix + "cond:output:0")
        + node(
            prefix + "add", "AddV2", INT, prefix + "switch:output_true:0", prefix + "by:output:0")
        + node(prefix + "next", "NextIteration", INT, prefix + "add:z:0")
        + node(prefix + "exit", "Exit", INT, prefix + "switch:output_false:0");
  }

  private static String function(String name, String result, String... nodes) {
    return """
    function {
      signature { name: '%s' input_arg { name: 'x' type: DT_INT64 }
        output_arg { name: 'y' type: DT_INT64 } }
      ret { key: 'y' value: '%s' }
      %s
    }
    """
        .formatted(name, result, String.join("", nodes));
  }

  private static CallableFunction library(String functions) {
    try {
      return new FunctionLibrary(
              TextFormat.parse(functions.replace('\'', '"'), FunctionDefLibrary.class),
              OpRegistry.standard())
          .instantiate(new FunctionRef("f"));
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
  }

  private static CallableFunction f(String result, String... nodes) {
    return library(function("f", result, nodes));
  }

  private static long call(CallableFunction function, long x) {
    return function.call(List.of(Tensor.scalar(x)), StepContext.standalone()).getFirst().integer(0);
  }

  private static List<Long> callEach(CallableFunction function, long... xs) {
    return LongStream.of(xs).mapToObj(x -> call(function, x)).toList();
  }

  private static RowsResult callRows(CallableFunction function, long... xs) {
    List<Column> column = List.of(new Column.Stacked(Tensor.vector(xs)));
    return function.callRows(xs.length, column, List.of(), StepContext.standalone());
  }

  private static List<Long> values(RowsResult result) {
    return LongStream.range(0, result.rows())
        .mapToObj(row -> result.columns().getFirst().row((int) row).integer(0))
        .toList();
  }

  /** Whether x is greater than 2, as {@code pred:z:0}. */
  private static final String PREDICATE =
      number("two", 2) + node("pred", "Greater", INT, "x", "two:output:0");

  private static final String BRANCH = PREDICATE + node("switch", "Switch", INT, "x", "pred:z:0");

  @Test
  void whileLoop_runsUntilItsConditionFails() {
    CallableFunction function =
        f(
            "exit:output:0",
            number("ten", 10),
            number("three", 3) + loop("", "x", "ten:output:0", "three:output:0"));

    assertThat(callEach(function, 0, 1, 9, 10, 50)).containsExactly(12L, 10L, 12L, 10L, 50L);
  }

  @Test
  void loopOverManyRows_givesEachItsOwn() {
    CallableFunction function =
        f(
            "twice:z:0",
            number("ten", 10),
            number("three", 3)
                + loop("", "x", "ten:output:0", "three:output:0")
                + node("twice", "AddV2", INT, "exit:output:0", "exit:output:0"));

    assertThat(values(callRows(function, 0, 1, 9, 50))).containsExactly(24L, 20L, 24L, 100L);
  }

  @Test
  void loopInLoop_runsAnewInEachIteration() {
    String outer =
        enter("o_enter", "o", false, "x")
            + enter("o_limit", "o", true, "hundred:output:0")
            + enter("o_ten", "o", true, "ten:output:0")
            + node("o_merge", "Merge", TWO, "o_enter:output:0", "o_next:output:0")
            + node("o_less", "Less", INT, "o_merge:output:0", "o_limit:output:0")
            + node("o_cond", "LoopCond", "", "o_less:z:0")
            + node("o_switch", "Switch", INT, "o_merge:output:0", "o_cond:output:0")
            + node("o_aim", "AddV2", INT, "o_switch:output_true:0", "o_ten:output:0")
            + loop("i", "o_switch:output_true:0", "o_aim:z:0", "o_ten:output:0")
            + node("o_add", "AddV2", INT, "iexit:output:0", "o_switch:output_true:0")
            + node("o_next", "NextIteration", INT, "o_add:z:0")
            + node("o_exit", "Exit", INT, "o_switch:output_false:0");

    CallableFunction function =
        f("o_exit:output:0", number("hundred", 100) + number("ten", 10) + outer);

    // x = 2 x + 10 until it is at least 100
    assertThat(callEach(function, 0, 1, 45, 100)).containsExactly(150L, 166L, 100L, 100L);
  }

  @Test
  void conditional_computesTheTakenBranchOnly() {
    CallableFunction function =
        f(
            "merge:output:0",
            BRANCH
                + number("zero", 0, "^switch")
                + node("fails", "FloorDiv", INT, "switch:output_true:0", "zero:output:0")
                + node("merge", "Merge", TWO, "switch:output_false:0", "fails:z:0"));

    assertThat(callEach(function, -1, 2)).containsExactly(-1L, 2L);
    assertThatThrownBy(() -> call(function, 3))
        .hasMessageContaining("[[{{node fails}}]]")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void errorInOneOfManyRows_belongsToThatRow() {
    CallableFunction function =
        f(
            "merge:output:0",
            BRANCH
                + number("zero", 0)
                + node("fails", "FloorDiv", INT, "switch:output_true:0", "zero:output:0")
                + node("merge", "Merge", TWO, "switch:output_false:0", "fails:z:0"));

    RowsResult result = callRows(function, 1, 2, 7, 0);

    assertThat(values(result)).containsExactly(1L, 2L);
    assertThat(result.failure()).hasMessageContaining("{{node fails}}");
  }

  @Test
  void mergeOfThreeBranches_takesTheOneThatIsNotDead() {
    CallableFunction function =
        f(
            "merge:output:0",
            BRANCH
                + number("four", 4)
                + node("more", "Greater", INT, "x", "four:output:0")
                + node("inner", "Switch", INT, "switch:output_true:0", "more:z:0")
                + node("ten", "AddV2", INT, "inner:output_true:0", "inner:output_true:0")
                + node(
                    "merge",
                    "Merge",
                    INT + " attr { key: 'N' value { i: 3 } }",
                    "switch:output_false:0",
                    "inner:output_false:0",
                    "ten:z:0"));

    assertThat(callEach(function, 1, 3, 5)).containsExactly(1L, 3L, 10L);
  }

  @Test
  void deadResult_isRefusedByItsIndex() {
    CallableFunction function = f("switch:output_true:0", BRANCH);

    assertThat(call(function, 3)).isEqualTo(3);
    assertThatThrownBy(() -> call(function, 2))
        .hasMessageContaining("No return value for index 0.")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INTERNAL);
  }

  @Test
  void nodeBehindControlTrigger_runsAlthoughItsInputIsDead() {
    CallableFunction function =
        f(
            "sum:z:0",
            BRANCH
                + node("trigger", "ControlTrigger", "", "^dead")
                + node("dead", "Identity", INT, "switch:output_true:0")
                + number("five", 5, "^trigger")
                + node("sum", "AddV2", INT, "x", "five:output:0"));

    assertThat(callEach(function, 1, 3)).containsExactly(6L, 8L);
  }

  @Test
  void calledFunction_namesItsNodeBehindTheCall() {
    String call =
        node(
            "call",
            "PartitionedCall",
            "attr { key: 'Tin' value { list { type: DT_INT64 } } } attr { key: 'Tout' value { list"
                + " { type: DT_INT64 } } } attr { key: 'f' value { func { name: 'g' } } }",
            "x");
    CallableFunction function =
        library(
            function("f", "call:output:0", call)
                + function(
                    "g",
                    "merge:output:0",
                    BRANCH
                        + number("zero", 0)
                        + node("fails", "FloorDiv", INT, "switch:output_true:0", "zero:output:0")
                        + node("merge", "Merge", TWO, "switch:output_false:0", "fails:z:0")));

    assertThat(call(function, 1)).isEqualTo(1);
    assertThatThrownBy(() -> call(function, 3)).hasMessageContaining("{{node call/fails}}");
  }

  @Test
  void loopWithoutEnd_endsWhenItsCallerIsCancelled() {
    CallableFunction function =
        f(
            "exit:output:0",
            number("end", Long.MAX_VALUE)
                + number("zero", 0)
                + loop("", "x", "end:output:0", "zero:output:0"));
    Cancellation cancellation = new Cancellation();
    StepContext step = StepContext.standalone().withCancellation(cancellation);
    CompletableFuture<List<Tensor>> result =
        CompletableFuture.supplyAsync(() -> function.call(List.of(Tensor.scalar(0L)), step));

    cancellation.cancel();

    assertThatThrownBy(result::join)
        .cause()
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.CANCELLED);
  }

  @Test
  void loopThatOutputsMoreThanItsStepMay_isRefused() {
    CallableFunction function =
        f(
            "exit:output:0",
            number("end", Long.MAX_VALUE)
                + number("zero", 0)
                + loop("", "x", "end:output:0", "zero:output:0"));
    StepContext step = StepContext.standalone().withOutputs(OutputBudget.ofBytes(1 << 20));

    assertThatThrownBy(() -> function.call(List.of(Tensor.scalar(0L)), step))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }

  @Test
  void dequeueInABranch_waitsForTheEnqueueBesideIt() {
    String queue =
        node(
            "queue",
            "FIFOQueueV2",
            "attr { key: 'component_types' value { list { type: DT_INT64 } } }");
    String types = "attr { key: '%s' value { list { type: DT_INT64 } } }";
    CallableFunction function =
        f(
            "merge:output:0",
            queue
                + BRANCH
                + node("passed", "Identity", INT, "switch:output_true:0")
                + node(
                    "dequeue",
                    "QueueDequeueV2",
                    types.formatted("component_types"),
                    "queue:handle:0",
                    "^passed")
                + node(
                    "enqueue",
                    "QueueEnqueueV2",
                    types.formatted("Tcomponents"),
                    "queue:handle:0",
                    "passed:output:0")
                + node("merge", "Merge", TWO, "switch:output_false:0", "dequeue:components:0"));

    assertThat(callEach(function, 1, 3, 2, 8)).containsExactly(1L, 3L, 2L, 8L);
  }

  @Test
  void exitWithoutEnter_isRefusedByName() {
    assertThatThrownBy(() -> f("lost:output:0", node("lost", "Exit", INT, "x")))
        .hasMessageContaining("{{node lost}} is in no loop");
  }

  @Test
  void transferWithinAFunction_isRefusedByName() {
    String transfer =
        "attr { key: 'tensor_name' value { s: 't' } } attr { key: 'send_device' value { s: 'a' } }"
            + " attr { key: 'recv_device' value { s: 'b' } } attr { key: 'send_device_incarnation'"
            + " value { i: 1 } } attr { key: 'tensor_type' value { type: DT_INT64 } }";

    assertThatThrownBy(() ->
            f(
                "merge:output:0",
                BRANCH
                    + node("passed", "Identity", INT, "switch:output_true:0")
                    + node("recv", "_Recv", transfer, "^passed")
                    + node("merge", "Merge", TWO, "switch:output_false:0", "recv:tensor:0")))
        .hasMessageContaining("op _Recv (node recv)");
  }

  @Test
  void pinnedNodeBehindASwitch_isRefusedByName() {
    String pin = "attr { key: '_headrace_device' value { s: '/job:gpu/task:1' } }";

    assertThatThrownBy(() ->
            f(
                "merge:output:0",
                BRANCH
                    + node("far", "Neg", INT + pin, "switch:output_true:0")
                    + node("merge", "Merge", TWO, "switch:output_false:0", "far:y:0")))
        .hasMessageContaining("node far is pinned to /job:gpu/task:1");
  }
}

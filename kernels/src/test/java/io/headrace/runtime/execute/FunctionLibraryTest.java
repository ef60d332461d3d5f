package io.headrace.runtime.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class FunctionLibraryTest {
  /** Adds one to its input; fails for the values given by its attr. */
  private static final Op STEP =
      Op.define("Step(x: int64) -> y: int64")
          .attrs("bad: int = -1")
          .kernel(node -> {
            long bad = node.attrs().integer("bad");
            return call -> {
              long x = call.input(0).integer(0);
              if (x == bad) {
                throw StatusException.of(StatusCode.DATA_LOSS, "%d is bad", x);
              }
              call.setOutput(0, Tensor.scalar(x + 1));
            };
          });

  private static final Op CALL =
      Op.define("PartitionedCall(args: [Tin]) -> output: [Tout]")
          .attrs("Tin: list(type)", "Tout: list(type)", "f: func")
          .call();

  /** Records the number of rows of its last call; fails for negative values. */
  private static final class Check implements Kernel.Sync {
    private static int rowsTogether;

    @Override
    public void compute(KernelCall call) {
      rowsTogether = 1;
      verify(call.input(0));
    }

    @Override
    public boolean computeRows(RowsCall call) {
      rowsTogether = call.rows();
      verify(call.input(0));
      return true;
    }

    private static void verify(Tensor x) {
      for (long value : x.integers()) {
        if (value < 0) {
          throw StatusException.invalidArgument("%d is negative", value);
        }
      }
    }
  }

  private static final List<Op> CHECKS =
      Stream.of(Effect.CHECKS, Effect.READS, Effect.CHANGES)
          .map(effect -> Op.define(effect + "(x: int64)").stateful(effect).kernel(_ -> new Check()))
          .toList();

  private static final OpRegistry OPS =
      OpRegistry.of(
          STEP,
          CALL,
          CHECKS.get(0),
          CHECKS.get(1),
          CHECKS.get(2),
          Objects.requireNonNull(OpRegistry.standard().find("If")));

  @Test
  void call_runsNodesInOrder() {
    CallableFunction twice = library(function("f", step("a", "x", -1), step("b", "a:y:0", -1)));

    assertThat(callOnce(twice, 5)).isEqualTo(7);
  }

  @Test
  void call_ofAFunctionThatCallsAnother_runsItInLine() {
    CallableFunction outer =
        library(function("f", call("c", "g", "x")), function("g", step("a", "x", -1)));

    assertThat(callOnce(outer, 5)).isEqualTo(6);
  }

  @Test
  void callRows_givesWhatRowByRowGives() {
    CallableFunction twice = library(function("f", step("a", "x", -1), step("b", "a:y:0", -1)));

    RowsResult result = callRows(twice, 1, 2, 3);

    assertThat(values(result)).containsExactly(3L, 4L, 5L);
    assertThat(result.failure()).isNull();
  }

  @Test
  void callRows_errorInALaterStepAtAnEarlierRow_endsAtThatRow() {
    // The first step fails for the third row, the second step for the second.
    CallableFunction function = library(function("f", step("a", "x", 30), step("b", "a:y:0", 21)));

    RowsResult result = callRows(function, 10, 20, 30, 40);

    assertThat(values(result)).containsExactly(12L);
    assertThat(result.failure()).hasMessage("21 is bad [[{{node b}}]]");
  }

  @Test
  void callRows_errorAtTheFirstRow_givesNoRows() {
    RowsResult result = callRows(library(function("f", step("a", "x", 1))), 1, 2);

    assertThat(result.rows()).isZero();
    assertThat(result.failure()).extracting(StatusException::code).isEqualTo(StatusCode.DATA_LOSS);
  }

  @ParameterizedTest
  @EnumSource(names = {"CHECKS", "READS"})
  void callRows_ofAnOpThatChangesNothing_runsRowsTogetherThoughNobodyNeedsIt(Effect effect) {
    CallableFunction function = library(withCheck(effect));
    assertThat(function.isStateful()).isFalse();

    RowsResult all = callRows(function, 1, 2, 3);

    assertThat(values(all)).containsExactly(2L, 3L, 4L);
    assertThat(Check.rowsTogether).isEqualTo(3);
  }

  @Test
  void callRows_ofAFailingCheck_givesTheRowsBeforeIt() {
    RowsResult result = callRows(library(withCheck(Effect.CHECKS)), 1, 2, -3, -4);

    assertThat(values(result)).containsExactly(2L, 3L);
    assertThat(result.failure()).hasMessage("-3 is negative [[{{node check}}]]");
  }

  @Test
  void callRows_ofAnOpThatChangesState_runsRowByRow() {
    CallableFunction function = library(withCheck(Effect.CHANGES));
    assertThat(function.isStateful()).isTrue();

    callRows(function, 1, 2, 3);

    assertThat(Check.rowsTogether).isEqualTo(1);
  }

  @Test
  void callRows_ofABranchThatAllRowsTake_runsItForAllAtOnce() {
    CallableFunction function =
        library(
            conditional(),
            withCheck("then", Effect.CHECKS),
            function("else", step("a", "x", 0), step("b", "a:y:0", -1)));

    assertThat(values(callRows(function, 1, 2, 3))).containsExactly(2L, 3L, 4L);
    assertThat(Check.rowsTogether).isEqualTo(3);
    assertThat(callRows(function, 1, 2, -3, 4).failure())
        .hasMessage("-3 is negative [[{{node check}}]]");
  }

  @Test
  void callRows_ofRowsThatTakeDifferentBranches_givesWhatRowByRowGives() {
    CallableFunction function =
        library(
            conditional(),
            withCheck("then", Effect.CHECKS),
            function("else", step("a", "x", -1), step("b", "a:y:0", -1)));

    assertThat(values(callRows(function, 1, 0, 3, 0))).containsExactly(2L, 2L, 4L, 2L);
    RowsResult failing = callRows(function, 1, 0, -3, 0);
    assertThat(values(failing)).containsExactly(2L, 2L);
    assertThat(failing.failure()).hasMessage("-3 is negative [[{{node check}}]]");
  }

  /** Calls {@code then} where x is not zero, and {@code else} where it is. */
  private static FunctionDef conditional() {
    AttrValue.ListValue types =
        AttrValue.ListValue.newBuilder().addTypeValue(DataType.INT64.number()).build();
    NodeDef node =
        NodeDef.newBuilder()
            .setName("if")
            .setOp("If")
            .addInput("x")
            .addInput("x")
            .putAttr("Tcond", AttrValue.newBuilder().setTypeValue(DataType.INT64.number()).build())
            .putAttr("Tin", AttrValue.newBuilder().setList(types).build())
            .putAttr("Tout", AttrValue.newBuilder().setList(types).build())
            .putAttr("then_branch", named("then"))
            .putAttr("else_branch", named("else"))
            .build();
    return function("f", node);
  }

  private static AttrValue named(String function) {
    return AttrValue.newBuilder().setFunc(NameAttrList.newBuilder().setName(function)).build();
  }

  private static FunctionDef withCheck(Effect effect) {
    return withCheck("f", effect);
  }

  private static FunctionDef withCheck(String name, Effect effect) {
    return function(name, step("a", "x", -1)).toBuilder()
        .addNodeDef(NodeDef.newBuilder().setName("check").setOp(effect.name()).addInput("x"))
        .putControlRet("check", "check")
        .build();
  }

  @Test
  void instantiate_functionThatCallsItself_isRefused() {
    assertThatThrownBy(
            () -> library(function("f", call("c", "g", "x")), function("g", call("c", "f", "x"))))
        .hasMessageContaining("calls itself");
  }

  @Test
  void instantiate_functionsThatGrowExponentially_areRefusedBeforeTheyAreExpanded() {
    List<FunctionDef> functions = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String next = "f" + (i + 1);
      functions.add(function("f" + i, call("a", next, "x"), call("b", next, "a:output:0")));
    }
    functions.add(function("f60", step("a", "x", -1)));
    FunctionLibrary library = libraryOf(functions);

    assertThatThrownBy(() -> library.instantiate(new FunctionRef("f0")))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }

  @Test
  void instantiate_functionsThatNestTooDeep_areRefused() {
    List<FunctionDef> functions = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      functions.add(function("f" + i, call("a", "f" + (i + 1), "x")));
    }
    functions.add(function("f10000", step("a", "x", -1)));
    FunctionLibrary library = libraryOf(functions);

    assertThatThrownBy(() -> library.instantiate(new FunctionRef("f0")))
        .hasMessageContaining("nested too deep");
  }

  @Test
  void instantiate_unknownFunction_isNotFound() {
    assertThatThrownBy(() -> libraryOf(List.of()).instantiate(new FunctionRef("f")))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.NOT_FOUND);
  }

  @Test
  void call_withAnArgumentOfAnotherDtype_isRefused() {
    CallableFunction function = library(function("f", step("a", "x", -1)));

    assertThatThrownBy(() -> function.call(List.of(Tensor.scalar(1f)), StepContext.standalone()))
        .hasMessageContaining("argument 0 of function f is int64 and was given float");
  }

  private static long callOnce(CallableFunction function, long x) {
    return function.call(List.of(Tensor.scalar(x)), StepContext.standalone()).getFirst().integer(0);
  }

  private static RowsResult callRows(CallableFunction function, long... rows) {
    Column column = new Column.Stacked(Tensor.vector(rows));
    return function.callRows(rows.length, List.of(column), List.of(), StepContext.standalone());
  }

  private static List<Long> values(RowsResult result) {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < result.rows(); i++) {
      values.add(result.columns().getFirst().row(i).integer(0));
    }
    return values;
  }

  private static CallableFunction library(FunctionDef... functions) {
    return libraryOf(List.of(functions)).instantiate(new FunctionRef("f"));
  }

  private static FunctionLibrary libraryOf(List<FunctionDef> functions) {
    return new FunctionLibrary(
        FunctionDefLibrary.newBuilder().addAllFunction(functions).build(), OPS);
  }

  private static FunctionDef function(String name, NodeDef... nodes) {
    NodeDef last = nodes[nodes.length - 1];
    String output = last.getOp().equals("Step") ? ":y:0" : ":output:0";
    return FunctionDef.newBuilder()
        .setSignature(
            OpDef.newBuilder().setName(name).addInputArg(arg("x")).addOutputArg(arg("result")))
        .addAllNodeDef(List.of(nodes))
        .putRet("result", last.getName() + output)
        .build();
  }

  private static OpDef.ArgDef arg(String name) {
    return OpDef.ArgDef.newBuilder().setName(name).setTypeValue(DataType.INT64.number()).build();
  }

  private static NodeDef step(String name, String input, long bad) {
    return NodeDef.newBuilder()
        .setName(name)
        .setOp("Step")
        .addInput(input)
        .putAttr("bad", AttrValue.newBuilder().setI(bad).build())
        .build();
  }

  private static NodeDef call(String name, String function, String input) {
    AttrValue types =
        AttrValue.newBuilder()
            .setList(AttrValue.ListValue.newBuilder().addTypeValue(DataType.INT64.number()))
            .build();
    return NodeDef.newBuilder()
        .setName(name)
        .setOp("PartitionedCall")
        .addInput(input)
        .putAttr("Tin", types)
        .putAttr("Tout", types)
        .putAttr(
            "f",
            AttrValue.newBuilder().setFunc(NameAttrList.newBuilder().setName(function)).build())
        .build();
  }
}

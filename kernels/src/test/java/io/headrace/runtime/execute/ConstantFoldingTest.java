package io.headrace.runtime.execute;

import static io.headrace.runtime.tensor.DataType.INT64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class ConstantFoldingTest {
  /** How often the kernels of the ops below have run. */
  private int runs;

  private final OpRegistry ops =
      OpRegistry.of(
          Objects.requireNonNull(OpRegistry.standard().find("AddV2")),
          Objects.requireNonNull(OpRegistry.standard().find("FloorMod")),
          counted("Pure").shape(ShapeFunctions.SAME).stateless(this::count),
          counted("Drawn")
              .shape(ShapeFunctions.SAME)
              .stateful(Effect.CHANGES)
              .stateless(this::count),
          counted("Unshaped").stateless(this::count),
          counted("Large").shape(_ -> List.of(Shape.of(1L << 40, 1L << 40))).stateless(this::count),
          Op.define("Const() -> output: dtype").attrs("value: tensor", "dtype: type").structural());

  private static Op.Builder counted(String name) {
    return Op.define(name + "(x: T) -> z: T").attrs("T: type");
  }

  private void count(KernelCall call) {
    runs++;
    call.setOutput(0, call.input(0));
  }

  @Test
  void step_ofConstants_runsOnceForAllCalls() {
    CallableFunction function = function(node("a", "Pure", "seven"), node("b", "AddV2", "x", "a"));

    assertThat(call(function, 1)).isEqualTo(8);
    assertThat(call(function, 2)).isEqualTo(9);
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void step_ofFoldedSteps_isFolded() {
    CallableFunction function =
        function(
            node("sum", "AddV2", "seven", "seven"),
            node("a", "Pure", "sum"),
            node("b", "AddV2", "x", "a"));

    assertThat(call(function, 1)).isEqualTo(15);
    assertThat(call(function, 2)).isEqualTo(16);
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void step_ofAnArgument_runsAtEachCall() {
    CallableFunction function = function(node("a", "Pure", "x"), node("b", "AddV2", "a", "seven"));

    assertThat(call(function, 1)).isEqualTo(8);
    assertThat(call(function, 2)).isEqualTo(9);
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void step_thatChangesState_runsAtEachCall() {
    assertRunsAtEachCall("Drawn");
  }

  @Test
  void step_ofUnknownShape_runsAtEachCall() {
    assertRunsAtEachCall("Unshaped");
  }

  @Test
  void step_whoseOutputMayBeLarge_runsAtEachCall() {
    assertRunsAtEachCall("Large");
  }

  private void assertRunsAtEachCall(String op) {
    CallableFunction function = function(node("a", op, "seven"), node("b", "AddV2", "x", "a"));
    assertThat(runs).isZero();

    assertThat(call(function, 1)).isEqualTo(8);
    assertThat(call(function, 2)).isEqualTo(9);
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void step_ofConstantsThatFails_failsWhenItRuns() {
    CallableFunction function =
        function(node("a", "FloorMod", "seven", "zero"), node("b", "AddV2", "x", "a"));

    assertThatThrownBy(() -> call(function, 1))
        .hasMessage("Integer division by zero [[{{node a}}]]");
  }

  private static long call(CallableFunction function, long x) {
    return function.call(List.of(Tensor.scalar(x)), StepContext.standalone()).getFirst().integer(0);
  }

  /** The function of x with {@code nodes} and the constants seven and zero; its result is b. */
  private CallableFunction function(NodeDef... nodes) {
    OpDef signature =
        OpDef.newBuilder()
            .setName("f")
            .addInputArg(OpDef.ArgDef.newBuilder().setName("x").setTypeValue(INT64.number()))
            .addOutputArg(OpDef.ArgDef.newBuilder().setName("y").setTypeValue(INT64.number()))
            .build();
    FunctionDef.Builder function =
        FunctionDef.newBuilder()
            .setSignature(signature)
            .putRet("y", "b:z:0")
            .addNodeDef(constant("seven", 7))
            .addNodeDef(constant("zero", 0))
            .addAllNodeDef(List.of(nodes));
    return new FunctionLibrary(FunctionDefLibrary.newBuilder().addFunction(function).build(), ops)
        .instantiate(new FunctionRef("f"));
  }

  private static NodeDef constant(String name, long value) {
    TensorProto tensor =
        TensorProto.newBuilder().setDtypeValue(INT64.number()).addInt64Val(value).build();
    return NodeDef.newBuilder()
        .setName(name)
        .setOp("Const")
        .putAttr("dtype", AttrValue.newBuilder().setTypeValue(INT64.number()).build())
        .putAttr("value", AttrValue.newBuilder().setTensor(tensor).build())
        .build();
  }

  private static NodeDef node(String name, String op, String... inputs) {
    NodeDef.Builder node =
        NodeDef.newBuilder()
            .setName(name)
            .setOp(op)
            .putAttr("T", AttrValue.newBuilder().setTypeValue(INT64.number()).build());
    for (String input : inputs) {
      boolean isConstant = input.equals("seven") || input.equals("zero");
      node.addInput(input.equals("x") ? input : input + (isConstant ? ":output:0" : ":z:0"));
    }
    return node.build();
  }
}

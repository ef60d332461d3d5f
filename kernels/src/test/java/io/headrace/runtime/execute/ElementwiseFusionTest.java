package io.headrace.runtime.execute;

import static io.headrace.runtime.tensor.DataType.BOOL;
import static io.headrace.runtime.tensor.DataType.FLOAT32;
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
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class ElementwiseFusionTest {
  private static final OpRegistry OPS =
      OpRegistry.of(
          op("AddV2"),
          op("Mul"),
          op("FloorMod"),
          op("Equal"),
          op("Exp"),
          Op.define("Const() -> output: dtype").attrs("value: tensor", "dtype: type").structural());

  private static Op op(String name) {
    return Objects.requireNonNull(OpRegistry.standard().find(name));
  }

  @Test
  void steps_thatOnlyFeedOneAnother_becomeOne() {
    Function f = new Function(INT64, INT64).node("three", 3);
    f.node("a", "Mul", "x", "three").node("b", "AddV2", "a", "x").node("c", "Mul", "b", "a");

    assertThat(f.program("c").steps()).hasSize(1);
    assertThat(f.call("c", Tensor.vector(1L, 2L)).longs()).containsExactly(12, 48);
  }

  @Test
  void steps_whoseResultIsAlsoAResultOfAll_stayApart() {
    Function f = new Function(INT64, INT64);
    f.node("a", "Mul", "x", "x").node("b", "AddV2", "a", "x").node("c", "Mul", "a", "b");

    assertThat(f.program("c", "a").steps()).hasSize(2);
  }

  @Test
  void steps_ofOneTest_giveABool() {
    Function f = new Function(INT64, BOOL).node("two", 2).node("zero", 0);
    f.node("a", "FloorMod", "x", "two").node("b", "Equal", "a", "zero");

    assertThat(f.call("b", Tensor.vector(-3L, -2L, 0L, 5L)).bytes()).containsExactly(0, 1, 1, 0);
  }

  @Test
  void call_thatFails_namesTheNode() {
    Function f = new Function(INT64, INT64).node("one", 1);
    f.node("a", "AddV2", "x", "one").node("b", "FloorMod", "one", "a").node("c", "Mul", "b", "b");

    assertThatThrownBy(() -> f.call("c", Tensor.scalar(-1L)))
        .hasMessage("Integer division by zero [[{{node b}}]]");
  }

  @Test
  void callRows_whereOneFails_endsAtThatRow() {
    Function f = new Function(INT64, INT64).node("one", 1);
    f.node("a", "AddV2", "x", "one").node("b", "FloorMod", "one", "a").node("c", "Mul", "b", "b");

    RowsResult result = f.callRows("c", Tensor.vector(1L, 2L, -1L, 3L));

    assertThat(result.rows()).isEqualTo(2);
    assertThat(result.failure()).hasMessageContaining("{{node b}}");
  }

  @Test
  void call_ofMixedShapes_broadcasts() {
    Function f = new Function(FLOAT32, FLOAT32);
    f.node("a", "Exp", "x").node("b", "AddV2", "a", "a").node("c", "Mul", "b", "y");
    Tensor x = Tensor.vector(0f, 1f);
    Tensor y = Tensor.wrap(FLOAT32, Shape.of(3, 1), new float[] {1, 2, 3});

    float e = (float) Math.exp(1);
    assertThat(f.call("c", x, y).floats()).containsExactly(2, 2 * e, 4, 2 * e * 2, 6, 2 * e * 3);
  }

  @Test
  void callRows_ofRowsAndOneValueForAll_givesWhatEachRowGives() {
    Function f = new Function(FLOAT32, FLOAT32);
    f.node("a", "Exp", "y").node("b", "AddV2", "a", "x").node("c", "Mul", "b", "x");
    Tensor rows = Tensor.vector(1f, 2f, 3f);
    Tensor same = Tensor.vector(0f, 1f);

    RowsResult result =
        f.function("c")
            .callRows(
                3, List.of(new Column.Stacked(rows)), List.of(same), StepContext.standalone());

    for (int i = 0; i < 3; i++) {
      assertThat(result.columns().getFirst().row(i).detach().floats())
          .isEqualTo(f.call("c", rows.row(i), same).floats());
    }
  }

  /** Builds a function over the arguments x and y, with nodes of one dtype. */
  private static final class Function {
    private final DataType input;
    private final DataType output;
    private final FunctionDef.Builder body = FunctionDef.newBuilder();

    Function(DataType input, DataType output) {
      this.input = input;
      this.output = output;
    }

    Function node(String name, long constant) {
      TensorProto value =
          TensorProto.newBuilder().setDtypeValue(input.number()).addInt64Val(constant).build();
      body.addNodeDef(
          NodeDef.newBuilder()
              .setName(name)
              .setOp("Const")
              .putAttr("dtype", type())
              .putAttr("value", AttrValue.newBuilder().setTensor(value).build()));
      return this;
    }

    Function node(String name, String op, String... inputs) {
      NodeDef.Builder node = NodeDef.newBuilder().setName(name).setOp(op).putAttr("T", type());
      for (String of : inputs) {
        node.addInput(of.equals("x") || of.equals("y") ? of : of + outputOf(of));
      }
      body.addNodeDef(node);
      return this;
    }

    private String outputOf(String name) {
      NodeDef node =
          body.getNodeDefList().stream()
              .filter(n -> n.getName().equals(name))
              .findFirst()
              .orElseThrow();
      String op = node.getOp();
      return op.equals("Const") ? ":output:0" : op.equals("Exp") ? ":y:0" : ":z:0";
    }

    private AttrValue type() {
      return AttrValue.newBuilder().setTypeValue(input.number()).build();
    }

    private FunctionDef definition(String... results) {
      OpDef.Builder signature = OpDef.newBuilder().setName("f");
      signature.addInputArg(arg("x", input)).addInputArg(arg("y", input));
      FunctionDef.Builder whole = body.clone();
      for (String result : results) {
        signature.addOutputArg(arg("result_" + result, output));
        whole.putRet("result_" + result, result + outputOf(result));
      }
      return whole.setSignature(signature).build();
    }

    private static OpDef.ArgDef arg(String name, DataType dtype) {
      return OpDef.ArgDef.newBuilder().setName(name).setTypeValue(dtype.number()).build();
    }

    private FunctionLibrary library(String... results) {
      return new FunctionLibrary(
          FunctionDefLibrary.newBuilder().addFunction(definition(results)).build(), OPS);
    }

    Program program(String... results) {
      FunctionLibrary library = library(results);
      return new ProgramBuilder(library).build("f", library.body("f"), definition(results));
    }

    CallableFunction function(String result) {
      return library(result).instantiate(new FunctionRef("f"));
    }

    Tensor call(String result, Tensor... inputs) {
      List<Tensor> both = new ArrayList<>(List.of(inputs));
      both.add(inputs[0]);
      return function(result).call(both.subList(0, 2), StepContext.standalone()).getFirst();
    }

    RowsResult callRows(String result, Tensor rows) {
      Column column = new Column.Stacked(rows);
      return function(result)
          .callRows(column.rows(), List.of(column, column), List.of(), StepContext.standalone());
    }
  }
}

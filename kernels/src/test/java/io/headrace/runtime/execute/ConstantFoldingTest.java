package io.headrace.runtime.execute;

import static io.headrace.runtime.execute.FunctionText.constant;
import static io.headrace.runtime.execute.FunctionText.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.KernelTimes;
import io.headrace.runtime.op.KernelTimes.OpTime;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Index;
import org.junit.jupiter.api.Test;

/** Which kernels run for a row, on a clock that each reading advances. */
final class ConstantFoldingTest {
  private final AtomicLong clock = new AtomicLong();
  private final KernelTimes times = KernelTimes.by(clock::incrementAndGet);

  private static CallableFunction function(String result, String... nodes) {
    return FunctionText.function(List.of(result), List.of(nodes));
  }

  private float[] call(CallableFunction function) {
    StepContext measured = StepContext.standalone().withKernelTimes(times);
    return function.call(List.of(Tensor.scalar(2f)), measured).getFirst().floats();
  }

  private List<String> opsThatRan() {
    return times.largest(8).stream().map(OpTime::op).toList();
  }

  @Test
  void nodesOfConstants_areComputedWhenTheFunctionIsCompiled() {
    CallableFunction function =
        function(
            "product:z:0",
            constant("angles", "DT_FLOAT", "tensor_shape { dim { size: 2 } } float_val: [0, 1]"),
            constant("axis", "DT_INT32", "tensor_shape { } int_val: 0"),
            node("cosines", "Cos", "T=DT_FLOAT", "angles:output:0"),
            node("sum", "Cumsum", "T=DT_FLOAT Tidx=DT_INT32", "cosines:y:0", "axis:output:0"),
            node("product", "Mul", "T=DT_FLOAT", "x", "sum:out:0"));

    float cosine = (float) Math.cos(1);
    assertThat(call(function)).containsExactly(2, 2 * (1 + cosine));
    Column rows = new Column.Stacked(Tensor.vector(2f, 3f));
    assertThat(
            function
                .callRows(2, List.of(rows), List.of(), StepContext.standalone())
                .columns()
                .getFirst()
                .row(1)
                .floats())
        .containsExactly(3, 3 * (1 + cosine));
    assertThat(opsThatRan()).containsExactly("Mul");
  }

  @Test
  void nodeThatFails_failsInEachRow_byItsName() {
    CallableFunction function =
        function(
            "sum:z:0",
            constant("one", "DT_INT32", "tensor_shape { } int_val: 1"),
            constant("zero", "DT_INT32", "tensor_shape { } int_val: 0"),
            node("quotient", "FloorDiv", "T=DT_INT32", "one:output:0", "zero:output:0"),
            node("cast", "Cast", "SrcT=DT_INT32 DstT=DT_FLOAT", "quotient:z:0"),
            node("sum", "AddV2", "T=DT_FLOAT", "x", "cast:y:0"));

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> call(function))
          .hasMessage("Integer division by zero [[{{node quotient}}]]");
    }
  }

  @Test
  void randomNumbers_areDrawnForEachRow() {
    CallableFunction function =
        function(
            "sum:z:0",
            constant("shape", "DT_INT32", "tensor_shape { dim { size: 1 } } int_val: 4"),
            node("noise", "RandomUniform", "T=DT_INT32 dtype=DT_FLOAT", "shape:output:0"),
            node("sum", "AddV2", "T=DT_FLOAT", "x", "noise:output:0"));

    assertThat(call(function)).isNotEqualTo(call(function));
  }

  @Test
  void largeValues_areComputedForEachRow_andNotKept() {
    CallableFunction function =
        function(
            "sum:z:0",
            constant("shape", "DT_INT32", "tensor_shape { dim { size: 1 } } int_val: 1000000"),
            constant("one", "DT_FLOAT", "tensor_shape { } float_val: 1"),
            node(
                "ones", "Fill", "T=DT_FLOAT index_type=DT_INT32", "shape:output:0", "one:output:0"),
            node("sum", "AddV2", "T=DT_FLOAT", "x", "ones:output:0"));

    assertThat(call(function)).hasSize(1_000_000).contains(3, Index.atIndex(7));
    assertThat(opsThatRan()).containsExactlyInAnyOrder("Fill", "AddV2");
  }
}

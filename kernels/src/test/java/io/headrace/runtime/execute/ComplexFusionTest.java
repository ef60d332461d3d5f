package io.headrace.runtime.execute;

import static io.headrace.runtime.execute.FunctionText.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Elementwise steps that no device but a CPU computes, fused. */
final class ComplexFusionTest {
  @Test
  void complexSteps_areOneLoop() {
    CallableFunction function =
        FunctionText.function(
            List.of("size:y:0"),
            List.of(
                node("number", "Complex", "T=DT_FLOAT Tout=DT_COMPLEX64", "x", "x"),
                node("square", "Mul", "T=DT_COMPLEX64", "number:out:0", "number:out:0"),
                node("size", "ComplexAbs", "T=DT_COMPLEX64 Tout=DT_FLOAT", "square:z:0")));

    List<Tensor> results = function.call(List.of(Tensor.vector(2f, 3f)), StepContext.standalone());

    assertThat(results.getFirst().floats()).containsExactly(8, 18);
  }
}

package io.headrace.kernels.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.kernels.FakeCall;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stacks of both forms of handle: "" of references, "V2" of resources. */
final class StackOpsTest {
  private static List<Tensor> run(String name, Map<String, AttrValue> attrs, Tensor... inputs) {
    Op op = StackOps.ops().stream().filter(o -> o.name().equals(name)).findFirst().orElseThrow();
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    FakeCall call = FakeCall.of(List.of(inputs), StepContext.standalone());
    ((Kernel.Sync) CpuKernels.create(node)).compute(call);
    return call.outputs(node.outputTypes().size());
  }

  private static Map<String, AttrValue> type(String attr, DataType dtype) {
    return Map.of(attr, AttrValue.newBuilder().setTypeValue(dtype.number()).build());
  }

  private static Tensor stack(String form, int limit) {
    Tensor[] inputs = form.isEmpty() ? new Tensor[0] : new Tensor[] {Tensor.scalar(limit)};
    return run("Stack" + form, type("elem_type", DataType.INT32), inputs).getFirst();
  }

  private static Tensor push(String form, Tensor stack, Tensor element) {
    return run("StackPush" + form, type("T", element.dtype()), stack, element).getFirst();
  }

  private static Tensor pop(String form, Tensor stack) {
    return run("StackPop" + form, type("elem_type", DataType.INT32), stack).getFirst();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "V2"})
  void pop_givesWhatWasPushedLast(String form) {
    Tensor stack = stack(form, -1);

    assertThat(push(form, stack, Tensor.scalar(1)).integer(0)).isEqualTo(1);
    push(form, stack, Tensor.scalar(2));

    assertThat(pop(form, stack).integer(0)).isEqualTo(2);
    assertThat(pop(form, stack).integer(0)).isEqualTo(1);
    assertFails(() -> pop(form, stack), "is empty when calling Pop().");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "V2"})
  void push_ofAnotherType_isRefused(String form) {
    Tensor stack = stack(form, -1);

    assertFails(() -> push(form, stack, Tensor.scalar(1f)), "Must have type int32 but got float");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "V2"})
  void push_afterClose_isRefused(String form) {
    Tensor stack = stack(form, -1);

    run("StackClose" + form, Map.of(), stack);

    assertFails(() -> push(form, stack, Tensor.scalar(1)), "has already been closed.");
  }

  @Test
  void push_beyondTheLimit_isRefused() {
    Tensor stack = stack("V2", 1);

    push("V2", stack, Tensor.scalar(1));

    assertFails(() -> push("V2", stack, Tensor.scalar(2)), "overflowed its max_size (1)");
  }

  private static void assertFails(Runnable action, String message) {
    assertThatThrownBy(action::run)
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(message);
  }
}

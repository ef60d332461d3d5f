package io.headrace.kernels.variable;

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
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Concurrent updates and reads of variables; recorded cases test the arithmetic. */
final class OptimizerOpsTest {
  private static final int UPDATES = 300;

  private static Tensor run(String name, Tensor... inputs) {
    AttrValue dtype = AttrValue.newBuilder().setTypeValue(DataType.FLOAT32.number()).build();
    AttrValue index = AttrValue.newBuilder().setTypeValue(DataType.INT32.number()).build();
    Op op = Objects.requireNonNull(OpRegistry.standard().find(name));
    Map<String, AttrValue> attrs = Map.of("T", dtype, "dtype", dtype, "Tindices", index);
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    FakeCall call = FakeCall.of(List.of(inputs), StepContext.standalone());
    ((Kernel.Sync) CpuKernels.create(node)).compute(call);
    return call.hasOutputs() ? call.outputs(1).getFirst() : inputs[0];
  }

  private static Tensor variable(float... values) {
    VariableResource variable = new VariableResource("v", DataType.FLOAT32);
    variable.assign(Tensor.vector(values), false);
    return Tensor.resource(variable);
  }

  private static Tensor read(Tensor variable) {
    return run("ReadVariableOp", variable);
  }

  private static void addToRow(Tensor variable, int row) {
    Tensor accum = variable(1, 1, 1);
    Tensor rate = Tensor.scalar(-1f);
    Tensor none = Tensor.scalar(0f);
    run(
        "ResourceSparseApplyMomentum",
        variable,
        accum,
        rate,
        Tensor.vector(1f),
        Tensor.vector(row),
        none);
  }

  @Test
  void updateOfRows_betweenReads_leavesWhatWasReadAsItWas() {
    float[] initial = {1, 2, 3};
    Tensor variable = variable(initial);
    Tensor before = read(variable);
    addToRow(variable, 0);
    addToRow(variable, 1);
    Tensor between = read(variable);
    addToRow(variable, 1);
    addToRow(variable, 2);

    assertThat(before.floats()).containsExactly(1, 2, 3);
    assertThat(between.floats()).containsExactly(2, 3, 3);
    assertThat(run("ResourceGather", variable, Tensor.vector(2, 1)).floats()).containsExactly(4, 4);
    assertThat(read(variable).floats()).containsExactly(2, 4, 4);
    assertThat(initial).containsExactly(1, 2, 3);
  }

  @Test
  void updates_ofTwoThreadsAtOnce_areAllMade()
      throws ExecutionException, InterruptedException, TimeoutException {
    Tensor variable = variable(0, 0, 0);
    Tensor one = Tensor.scalar(1f);
    Tensor ones = Tensor.vector(1f, 1f, 1f);
    atOnce(
        () -> run("ResourceApplyGradientDescent", variable, one, ones),
        () -> addToRow(variable, 1));
    assertThat(read(variable).floats()).containsExactly(-UPDATES, 0, -UPDATES);
  }

  @Test
  void updates_withEachOthersSlots_doNotWaitForEachOther()
      throws ExecutionException, InterruptedException, TimeoutException {
    Tensor one = variable(1, 1);
    Tensor other = variable(1, 1);
    Tensor rate = Tensor.scalar(0f);
    Tensor gradient = Tensor.vector(0f, 0f);
    Tensor momentum = Tensor.scalar(1f);
    atOnce(
        () -> run("ResourceApplyMomentum", one, other, rate, gradient, momentum),
        () -> run("ResourceApplyMomentum", other, one, rate, gradient, momentum));
    assertThat(read(one).floats()).containsExactly(1, 1);
  }

  private static void atOnce(Runnable one, Runnable other)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      CompletableFuture<Void> first = CompletableFuture.runAsync(() -> repeat(one), threads);
      CompletableFuture<Void> second = CompletableFuture.runAsync(() -> repeat(other), threads);
      CompletableFuture.allOf(first, second).get(60, TimeUnit.SECONDS);
    }
  }

  private static void repeat(Runnable action) {
    for (int i = 0; i < UPDATES; i++) {
      action.run();
    }
  }

  @Test
  void update_ofAVariableWithoutAValue_isRefusedAndChangesNothing() {
    Tensor empty = Tensor.resource(new VariableResource("slot", DataType.FLOAT32));
    Tensor variable = variable(1, 2);
    Tensor rate = Tensor.scalar(1f);
    Tensor gradient = Tensor.vector(1f, 1f);
    assertThatThrownBy(() -> run("ResourceApplyAdagrad", variable, empty, rate, gradient))
        .hasMessageContaining("Attempting to use uninitialized value slot")
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.FAILED_PRECONDITION));
    assertThat(read(variable).floats()).containsExactly(1, 2);
  }
}

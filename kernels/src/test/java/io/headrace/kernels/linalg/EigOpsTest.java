package io.headrace.kernels.linalg;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.kernels.FakeCall;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Eig without vectors, whose second output TensorFlow does not set, so that no recording has it.
 */
final class EigOpsTest {
  private static final Shape MATRICES = Shape.of(2, 5, 5);

  @ParameterizedTest
  @EnumSource(names = {"FLOAT64", "COMPLEX128"})
  void compute_withoutVectors_givesTheSameValues(DataType dtype) {
    int parts = dtype == DataType.FLOAT64 ? 1 : 2;
    double[] numbers = new Random(1).doubles((long) parts * MATRICES.elements()).toArray();
    Tensor input = Tensor.wrap(dtype, MATRICES, numbers);

    List<Tensor> alone = compute(input, false);

    assertThat(TensorMemory.array(alone.getFirst()))
        .isEqualTo(TensorMemory.array(compute(input, true).getFirst()));
    assertThat(alone.getFirst().shape()).isEqualTo(Shape.of(2, 5));
    assertThat(alone.getLast().elements()).isEqualTo(1);
  }

  private static List<Tensor> compute(Tensor input, boolean hasVectors) {
    Op op = EigOps.ops().getFirst();
    Map<String, AttrValue> attrs =
        Map.of(
            "T", AttrValue.newBuilder().setTypeValue(input.dtype().number()).build(),
            "Tout", AttrValue.newBuilder().setTypeValue(DataType.COMPLEX128.number()).build(),
            "compute_v", AttrValue.newBuilder().setB(hasVectors).build());
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    FakeCall call = FakeCall.of(List.of(input), StepContext.standalone());
    ((Kernel.Sync) CpuKernels.create(node)).compute(call);
    return call.outputs(2);
  }
}

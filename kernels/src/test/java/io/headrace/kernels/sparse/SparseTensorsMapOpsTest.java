package io.headrace.kernels.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
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
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The tensors map gives the handles and results of stock TensorFlow. */
final class SparseTensorsMapOpsTest {
  private static final Tensor INDICES =
      Tensor.vector(0L, 1L, 0L, 3L, 2L, 0L).reshape(Shape.of(3, 2));
  private static final Tensor VALUES = Tensor.vector(10, 20, 30);
  private static final Tensor SHAPE = Tensor.vector(3L, 4L);

  private final StepContext step = StepContext.standalone();

  private List<Tensor> run(String name, String dtypeAttr, DataType dtype, Tensor... inputs) {
    Op op = Objects.requireNonNull(OpRegistry.standard().find(name));
    Map<String, AttrValue> attrs =
        Map.of(
            dtypeAttr,
            AttrValue.newBuilder().setTypeValue(dtype.number()).build(),
            "shared_name",
            AttrValue.newBuilder().setS(ByteString.copyFromUtf8("shared")).build());
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    FakeCall call = FakeCall.of(List.of(inputs), step);
    ((Kernel.Sync) CpuKernels.create(node)).compute(call);
    return call.outputs(op.outputs().size());
  }

  private Tensor addMany() {
    return run("AddManySparseToTensorsMap", "T", DataType.INT32, INDICES, VALUES, SHAPE).getFirst();
  }

  private List<Tensor> take(DataType dtype, long... handles) {
    return run("TakeManySparseFromTensorsMap", "dtype", dtype, Tensor.vector(handles));
  }

  @Test
  void addMany_numbersNonemptyRowsFirst() {
    assertThat(addMany().longs()).containsExactly(0, 2, 1);
  }

  @Test
  void takeMany_stacksTensorsInTheOrderOfTheHandles() {
    addMany();

    List<Tensor> taken = take(DataType.INT32, 1, 2, 0);

    assertThat(taken.get(0).integers()).containsExactly(0, 0, 2, 1, 2, 3);
    assertThat(taken.get(1).integers()).containsExactly(30, 10, 20);
    assertThat(taken.get(2).integers()).containsExactly(3, 4);
  }

  @Test
  void takeMany_ofATakenHandle_isRefused() {
    addMany();
    take(DataType.INT32, 1);

    assertThatThrownBy(() -> take(DataType.INT32, 1))
        .hasMessageContaining("Unable to find SparseTensor: 1 in map: shared")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void takeMany_ofAnotherDtype_isRefused() {
    addMany();

    assertThatThrownBy(() -> take(DataType.STRING, 0))
        .hasMessageContaining(
            "Requested SparseTensor of type string but SparseTensor[0].values.dtype() == int32");
  }

  @Test
  void takeMany_ofNoHandles_isRefused() {
    assertThatThrownBy(() -> take(DataType.INT32))
        .hasMessageContaining("Must have at least 1 serialized SparseTensor");
  }

  @Test
  void add_ofOne_isTakenAsARowOfItsShape() {
    Tensor handle =
        run("AddSparseToTensorsMap", "T", DataType.INT32, INDICES, VALUES, SHAPE).getFirst();

    List<Tensor> taken = take(DataType.INT32, handle.integer(0));

    assertThat(taken.get(0).integers()).containsExactly(0, 0, 1, 0, 0, 3, 0, 2, 0);
    assertThat(taken.get(2).integers()).containsExactly(1, 3, 4);
  }

  @Test
  void addMany_ofIndicesOutOfOrder_isRefused() {
    Tensor falling = Tensor.vector(2L, 0L, 0L, 3L, 0L, 1L).reshape(Shape.of(3, 2));

    assertThatThrownBy(
            () -> run("AddManySparseToTensorsMap", "T", DataType.INT32, falling, VALUES, SHAPE))
        .hasMessageContaining("is out of order");
  }
}

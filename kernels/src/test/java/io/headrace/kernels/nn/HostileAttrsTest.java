package io.headrace.kernels.nn;

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
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes and formats that no recorded case can have, as stock makes no node of them or ends. */
final class HostileAttrsTest {
  private static final AttrValue FLOAT =
      AttrValue.newBuilder().setTypeValue(DataType.FLOAT32.number()).build();

  private static void run(
      List<Op> ops, String name, Map<String, AttrValue> attrs, Tensor... inputs) {
    Op op = ops.stream().filter(o -> o.name().equals(name)).findFirst().orElseThrow();
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    FakeCall call = FakeCall.of(List.of(inputs), StepContext.standalone());
    ((Kernel.Sync) CpuKernels.create(node)).compute(call);
  }

  private static AttrValue text(String value) {
    return AttrValue.newBuilder().setS(ByteString.copyFromUtf8(value)).build();
  }

  private static AttrValue integers(Long... values) {
    return AttrValue.newBuilder()
        .setList(AttrValue.ListValue.newBuilder().addAllI(Arrays.asList(values)))
        .build();
  }

  private static Tensor longs(long... values) {
    return Tensor.of(DataType.INT64, Shape.of(values.length), values);
  }

  private static void assertFails(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(StatusException.class).hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "NHW", "ABDE", "NDHWC"})
  void secondGradientOfPool_withAnotherFormat_isRefused(String format) {
    Map<String, AttrValue> attrs =
        Map.of(
            "T", FLOAT,
            "ksize", integers(1L, 1L, 1L, 1L),
            "strides", integers(1L, 1L, 1L, 1L),
            "padding", text("SAME"),
            "data_format", text(format));

    assertFails(
        () -> run(PoolSecondGradientOps.ops(), "MaxPoolGradGrad", attrs), "allowed values: \"NHWC");
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 32, -(1L << 31) - 1})
  void patches_ofSizesBeyond32Bits_areRefused(long size) {
    Map<String, AttrValue> volumes =
        Map.of(
            "T", FLOAT,
            "ksizes", integers(1L, size, 1L, 1L, 1L),
            "strides", integers(1L, 1L, 1L, 1L, 1L),
            "padding", text("SAME"));
    Map<String, AttrValue> images =
        Map.of(
            "T", FLOAT,
            "ksizes", integers(1L, 1L, 1L, 1L),
            "strides", integers(1L, size, 1L, 1L),
            "rates", integers(1L, 1L, 1L, 1L),
            "padding", text("SAME"));

    assertFails(
        () -> run(ExtractVolumePatchesOps.ops(), "ExtractVolumePatches", volumes),
        "Attr ksizes has value " + size + " out of range for an int32");
    assertFails(
        () -> run(ExtractImagePatchesOps.ops(), "ExtractImagePatches", images),
        "Attr strides has value " + size + " out of range for an int32");
  }

  @Test
  void gradientOfFractionalPool_ofTooManyRows_isRefused() {
    Tensor shape = longs(1, 3_000_000_000L, 1, 1);
    Tensor gradient = Tensor.of(DataType.FLOAT32, Shape.of(1, 1, 1, 1), new float[1]);
    Tensor sequence = longs(0, 1);

    assertFails(
        () ->
            run(
                FractionalPoolGradientOps.ops(),
                "FractionalAvgPoolGrad",
                Map.of("T", FLOAT),
                shape,
                gradient,
                sequence,
                sequence),
        "a tensor");
  }
}

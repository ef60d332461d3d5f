package io.headrace.kernels.elementwise;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Axes for which stock makes no node, so that there is no recorded case. */
final class QuantizationAxisTest {
  /** Three vectors of an element. */
  private record Vectors(Attrs attrs) implements ShapeFunction.Inputs {
    @Override
    public int count() {
      return 3;
    }

    @Override
    public Shape shape(int index) {
      return Shape.of(1);
    }

    @Override
    public @Nullable Tensor constant(int index) {
      return null;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, Integer.MAX_VALUE, 1L << 32, Long.MAX_VALUE})
  void infer_forAnAxisThatIsNone_isRefused(long axis) {
    Stream.of(QuantizeV2Ops.ops(), QuantizeAndDequantizeOps.ops())
        .flatMap(List::stream)
        .filter(op -> List.of("QuantizeV2", "QuantizeAndDequantizeV2").contains(op.name()))
        .forEach(op -> assertRefused(op, axis));
  }

  private static void assertRefused(Op op, long axis) {
    Map<String, AttrValue> attrs = Map.of("axis", AttrValue.newBuilder().setI(axis).build());
    Vectors vectors = new Vectors(new Attrs("node", op, attrs));

    assertThatThrownBy(() -> op.shapeRule().infer(vectors))
        .as(op.name())
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(axis > Integer.MAX_VALUE ? "Attr axis has value" : "at least rank");
  }
}

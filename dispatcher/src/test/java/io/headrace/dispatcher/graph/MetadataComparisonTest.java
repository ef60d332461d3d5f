package io.headrace.dispatcher.graph;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.tensorflow.DataType;
import io.headrace.proto.tensorflow.StructuredValue;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.proto.tensorflow.TensorSpecProto;
import io.headrace.proto.tensorflow.TupleValue;
import org.junit.jupiter.api.Test;

final class MetadataComparisonTest {
  private static final StructuredValue INT = spec(DataType.DT_INT64);
  private static final StructuredValue FLOAT = spec(DataType.DT_FLOAT);

  @Test
  void requireSame_equalSpecs_passes() {
    assertThatCode(() -> compare(tuple(INT, FLOAT), tuple(INT, FLOAT))).doesNotThrowAnyException();
  }

  @Test
  void requireSame_otherOrderOfRepeatedFields_passes() {
    assertThatCode(() -> compare(tuple(INT, FLOAT), tuple(FLOAT, INT))).doesNotThrowAnyException();
  }

  @Test
  void requireSame_otherDtype_fails() {
    assertThatThrownBy(() -> compare(INT, FLOAT)).hasMessageContaining("element specs differ");
  }

  @Test
  void requireSame_oneElementMore_fails() {
    assertThatThrownBy(() -> compare(tuple(INT), tuple(INT, INT)))
        .hasMessageContaining("element specs differ");
  }

  @Test
  void requireSame_nearlyTheSameNumber_passes() {
    assertThatCode(() -> compare(number(0.1), number(0.1 + 1e-12))).doesNotThrowAnyException();
  }

  @Test
  void requireSame_anotherNumber_fails() {
    assertThatThrownBy(() -> compare(number(0.1), number(0.2)))
        .hasMessageContaining("element specs differ");
  }

  @Test
  void requireSame_unsetAgainstDefault_passes() {
    StructuredValue unset =
        StructuredValue.newBuilder().setTensorSpecValue(TensorSpecProto.newBuilder()).build();
    StructuredValue byDefault =
        StructuredValue.newBuilder()
            .setTensorSpecValue(
                TensorSpecProto.newBuilder().setShape(TensorShapeProto.getDefaultInstance()))
            .build();

    assertThatCode(() -> compare(unset, byDefault)).doesNotThrowAnyException();
  }

  private static void compare(StructuredValue existing, StructuredValue given) {
    MetadataComparison.requireSame("1", metadata(existing), metadata(given));
  }

  private static DataServiceMetadata metadata(StructuredValue spec) {
    return DataServiceMetadata.newBuilder().setElementSpec(spec.toByteString()).build();
  }

  private static StructuredValue spec(DataType dtype) {
    return StructuredValue.newBuilder()
        .setTensorSpecValue(TensorSpecProto.newBuilder().setDtype(dtype))
        .build();
  }

  private static StructuredValue tuple(StructuredValue... values) {
    TupleValue.Builder tuple = TupleValue.newBuilder();
    for (StructuredValue value : values) {
      tuple.addValues(value);
    }
    return StructuredValue.newBuilder().setTupleValue(tuple).build();
  }

  private static StructuredValue number(double value) {
    return StructuredValue.newBuilder().setFloat64Value(value).build();
  }
}

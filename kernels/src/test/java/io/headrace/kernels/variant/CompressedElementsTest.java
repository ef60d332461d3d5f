package io.headrace.kernels.variant;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.headrace.proto.data.CompressedComponentMetadata;
import io.headrace.proto.data.CompressedElement;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CompressedElementsTest {
  private static final Tensor ZERO = Tensor.scalar(0L);

  @Test
  void compress_scalar_isTensorFlowsBlock() {
    CompressedElement element = CompressedElements.compress(List.of(ZERO));

    assertThat(element.getData().toByteArray()).containsExactly(8, 0x1c, 0, 0, 0, 0, 0, 0, 0, 0);
    assertThat(element.getComponentMetadata(0).getUncompressedBytesList()).containsExactly(8L);
  }

  @Test
  void compress_nothing_isOneZeroByte() {
    CompressedElement element =
        CompressedElements.compress(
            List.of(Tensor.wrap(DataType.FLOAT32, Shape.of(0, 3), new float[0])));

    assertThat(element.getData().toByteArray()).containsExactly(0);
    assertThat(element.getComponentMetadata(0).getUncompressedBytesCount()).isZero();
  }

  @Test
  void uncompress_ofCompressed_isTheElement() {
    List<Tensor> components =
        List.of(
            Tensor.vector(1f, -2f),
            Tensor.vector("a", "", "bcd"),
            Tensor.wrap(DataType.UINT8, Shape.of(2, 2), new byte[] {1, 2, 3, 4}),
            Tensor.variant(new CompressedVariant(CompressedElements.compress(List.of(ZERO)))));

    List<Tensor> back = CompressedElements.uncompress(CompressedElements.compress(components));

    assertThat(back).extracting(Tensor::toString).isEqualTo(texts(components));
    assertThat(back.get(0).floats()).startsWith(1f, -2f);
    assertThat(back.get(1).string(2)).isEqualTo("bcd".getBytes(UTF_8));
    assertThat(back.get(2).compact().bytes()).startsWith(1, 2, 3, 4);
    assertThat(uncompressed(back.get(3)))
        .extracting(Tensor::typeAndShape)
        .containsExactly("int64[]");
  }

  private static List<Tensor> uncompressed(Tensor variant) {
    return CompressedElements.uncompress(CompressedVariant.of(variant.reference(0)).element());
  }

  private static List<String> texts(List<Tensor> tensors) {
    return tensors.stream().map(Tensor::toString).toList();
  }

  @Test
  void uncompress_emptyComponentOfSizeZero_isAccepted() {
    CompressedElement.Builder element = CompressedElement.newBuilder();
    element.setData(ByteString.copyFrom(new byte[1]));
    element
        .addComponentMetadataBuilder()
        .setDtypeValue(DataType.FLOAT32.number())
        .setTensorShape(shape(0))
        .addUncompressedBytes(0);

    assertThat(texts(CompressedElements.uncompress(element.build())))
        .containsExactly("float[0] []");
  }

  @Test
  void uncompress_anotherVersion_isInternal() {
    CompressedElement element =
        CompressedElements.compress(List.of(ZERO)).toBuilder().setVersion(3).build();

    assertFails(element, StatusCode.INTERNAL, "Unsupported compressed element version: 3");
  }

  @Test
  void uncompress_truncatedData_isInternal() {
    CompressedElement whole = CompressedElements.compress(List.of(ZERO));
    for (int size = 0; size < whole.getData().size(); size++) {
      CompressedElement cut = whole.toBuilder().setData(whole.getData().substring(0, size)).build();
      assertFails(cut, StatusCode.INTERNAL, "");
    }
  }

  @Test
  void uncompress_sizesThatTheDataCannotHave_areRefusedBeforeAllocation() {
    // A block that claims 2^31 - 9 bytes, and metadata that agrees.
    CompressedElement.Builder element = CompressedElement.newBuilder();
    element.setData(ByteString.copyFrom(new byte[] {-9, -1, -1, -1, 7, 0}));
    element.addComponentMetadata(numbers(1L << 60, 1L << 60));

    assertFails(element.build(), StatusCode.RESOURCE_EXHAUSTED, "");
    element.setComponentMetadata(0, numbers(1 << 20, 1 << 20));
    element.setData(ByteString.copyFrom(new byte[] {-128, -128, 64, 0}));
    assertFails(element.build(), StatusCode.INTERNAL, "Failed to perform snappy decompression.");
  }

  @Test
  void uncompress_sizesThatDoNotFitTheShape_areInternal() {
    CompressedElement.Builder element = CompressedElements.compress(List.of(ZERO)).toBuilder();
    element.getComponentMetadataBuilder(0).setTensorShape(shape(2));

    assertFails(element.build(), StatusCode.INTERNAL, "Uncompressed size mismatch");
  }

  private static CompressedComponentMetadata numbers(long elements, long bytes) {
    return CompressedComponentMetadata.newBuilder()
        .setDtypeValue(DataType.UINT8.number())
        .setTensorShape(shape(elements))
        .addUncompressedBytes(bytes)
        .build();
  }

  private static TensorShapeProto shape(long size) {
    TensorShapeProto.Builder shape = TensorShapeProto.newBuilder();
    shape.addDimBuilder().setSize(size);
    return shape.build();
  }

  private static void assertFails(CompressedElement element, StatusCode code, String says) {
    assertThatExceptionOfType(StatusException.class)
        .isThrownBy(() -> CompressedElements.uncompress(element))
        .withMessageContaining(says)
        .matches(e -> e.code() == code);
  }
}

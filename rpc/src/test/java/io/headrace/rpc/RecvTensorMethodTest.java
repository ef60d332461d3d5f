package io.headrace.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.tensorflow.RecvTensorResponse;
import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The replies of RecvTensor, compared with the protobuf library and with the bytes of stock tasks.
 */
final class RecvTensorMethodTest {
  static Stream<Tensor> tensors() {
    return Stream.of(
        Tensor.scalar(1),
        Tensor.scalar(true),
        Tensor.vector(1f, 2f, 3f),
        Tensor.vector(new float[0]),
        Tensor.vector(1L << 40, -1L),
        Tensor.wrap(DataType.FLOAT16, Shape.of(2, 1), new short[] {1, 2}),
        Tensor.wrap(DataType.COMPLEX64, Shape.of(1), new float[] {1, 2}),
        Tensor.wrap(DataType.STRING, Shape.of(2), new byte[][] {"hi".getBytes(UTF_8), {}}));
  }

  private static byte[] bytes(OutboundMessage message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      message.stream().transferTo(bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  private static Value received(byte[] bytes) {
    return RecvTensorMethod.RECEIVER
        .getResponseMarshaller()
        .parse(new ByteArrayInputStream(bytes))
        .value();
  }

  private static TensorProto asProto(Tensor tensor) {
    return TensorProtos.write(tensor);
  }

  @ParameterizedTest
  @MethodSource("tensors")
  void answer_isTheMessage_andComesBack(Tensor tensor) throws InvalidProtocolBufferException {
    byte[] answer = bytes(RecvTensorMethod.answer(Value.of(tensor)));
    assertThat(RecvTensorResponse.parseFrom(answer).getTensor()).isEqualTo(asProto(tensor));
    assertThat(asProto(received(answer).tensor())).isEqualTo(asProto(tensor));
  }

  @Test
  void resource_isAHandleThatOnlyNamesIt() {
    Tensor resource = Tensor.resource(new ArrayList<>());
    Tensor handle = received(bytes(RecvTensorMethod.answer(Value.of(resource)))).tensor();
    assertThat(handle.dtype()).isEqualTo(DataType.RESOURCE);
    assertThat(handle.shape()).isEqualTo(Shape.SCALAR);
    ResourceHandleProto named =
        ResourceHandleProto.newBuilder().setMaybeTypeName("ArrayList").build();
    assertThat(handle.reference(0)).isEqualTo(named);
    Tensor again = received(bytes(RecvTensorMethod.answer(Value.of(handle)))).tensor();
    assertThat(again.reference(0)).isEqualTo(named);
  }

  @Test
  void deadTensor_isSaidToBe() throws InvalidProtocolBufferException {
    byte[] answer = bytes(RecvTensorMethod.answer(Value.dead()));
    assertThat(RecvTensorResponse.parseFrom(answer).getIsDead()).isTrue();
    assertThat(received(answer).isDead()).isTrue();
  }

  /** Bytes sent by tasks of TensorFlow 2.21, without the time field. */
  @Test
  void bytesOfStockTasks_areRead() {
    HexFormat hex = HexFormat.of();
    Value floats =
        received(hex.parseHex("18010a1608011204120208032" + "20c0000803f0000004000004040"));
    assertThat(floats.tensor().floats()).containsExactly(1, 2, 3);
    Value one = received(hex.parseHex("0a080803220401000000"));
    assertThat(one.tensor().ints()).containsExactly(1);
    Value dead = received(hex.parseHex("100118010a0a08011204120208002200"));
    assertThat(dead.isDead()).isTrue();
  }

  @Test
  void tensorInAnotherForm_isRead() {
    TensorProto listed =
        TensorProto.newBuilder()
            .setDtypeValue(DataType.FLOAT32.number())
            .setTensorShape(
                TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(3)))
            .addFloatVal(5)
            .build();
    RecvTensorResponse response =
        RecvTensorResponse.newBuilder().setTensor(listed).setRequireAck(true).build();
    assertThat(received(response.toByteArray()).tensor().floats()).containsExactly(5, 5, 5);
  }

  @ParameterizedTest
  @ValueSource(ints = {11, 13})
  void contentOfAnotherSize_isRefused(int size) {
    TensorProto wrong =
        asProto(Tensor.vector(1f, 2f, 3f)).toBuilder()
            .setTensorContent(ByteString.copyFrom(new byte[size]))
            .build();
    byte[] bytes = RecvTensorResponse.newBuilder().setTensor(wrong).build().toByteArray();
    assertThatThrownBy(() -> received(bytes))
        .hasMessageContaining("can't be read")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void answerThatEndsTooSoon_isRefused() {
    byte[] whole = bytes(RecvTensorMethod.answer(Value.of(Tensor.vector(1f, 2f, 3f))));
    for (int length = 1; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> received(part))
          .as("%d bytes", length)
          .isInstanceOf(StatusException.class);
    }
  }
}

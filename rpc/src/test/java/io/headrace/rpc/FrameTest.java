package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.headrace.proto.headrace.ColumnHead;
import io.headrace.proto.headrace.FrameHead;
import io.headrace.proto.headrace.ReadTaskResponse;
import io.headrace.proto.headrace.RowShape;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorContent;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FrameTest {
  private static final Random RANDOM = new Random(7);

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"RESOURCE"})
  void stackedColumn_ofAnyDtype_comesBackAsItWas(DataType dtype) {
    Chunk chunk = Chunk.of(5, List.of(new Column.Stacked(random(dtype, Shape.of(5, 2, 3)))));
    assertSame(roundTrip(chunk), chunk);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"RESOURCE"})
  void listedColumn_ofAnyDtype_comesBackAsItWas(DataType dtype) {
    List<Tensor> rows =
        List.of(
            random(dtype, Shape.of(3)),
            random(dtype, Shape.SCALAR),
            random(dtype, Shape.of(0)),
            random(dtype, Shape.of(2, 0, 4)),
            random(dtype, Shape.of(2, 2)));
    Chunk chunk = Chunk.of(5, List.of(new Column.Listed(dtype, rows)));
    assertSame(roundTrip(chunk), chunk);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64, 16_384})
  void decode_fromBuffersOfAnySize_givesTheSame(int pieceBytes) throws IOException {
    Chunk chunk = mixed();
    byte[] bytes = bytes(FrameEncoder.frame(chunk, true));
    StreamMessage message = StreamMethod.CLIENT.parseResponse(pieces(bytes, pieceBytes));
    assertThat(message).isInstanceOf(StreamMessage.Frame.class);
    assertSame(((StreamMessage.Frame) message).chunk(), chunk);
  }

  @Test
  void slice_ofALargerChunk_carriesItsRowsOnly() {
    Chunk slice = mixed().slice(1, 3);
    assertSame(roundTrip(slice), slice);
  }

  @Test
  void rowsWithoutComponents_comeBack() {
    assertThat(roundTrip(Chunk.of(1_000_000, List.of())).rows()).isEqualTo(1_000_000);
  }

  @Test
  void positionAndOrigins_comeBack() {
    Origins origins =
        new Origins.Builder()
            .addRecords(1, 5, Origins.SPLITS, 40)
            .addGroupEnd(2, 3, 17)
            .addParts(2, 4, 11, 3)
            .endRow()
            .addRecords(1, 0, 1L << 50, 1L << 60)
            .build();
    Chunk chunk = new Chunk(3, List.of(Column.stack(longs(1, 2, 3))), 1L << 40, origins);
    assertThat(roundTrip(chunk).position()).isEqualTo(1L << 40);
    assertThat(roundTrip(chunk).origins()).isEqualTo(origins);
  }

  @Test
  void markOfARow_comesBack() throws IOException {
    TraceMark mark = new TraceMark(-1, 2);
    Chunk chunk = Chunk.of(3, List.of(longs(1, 2, 3)));

    assertThat(decode(bytes(FrameEncoder.frame(chunk, false, mark))))
        .isInstanceOfSatisfying(
            StreamMessage.Frame.class, frame -> assertThat(frame.mark()).isEqualTo(mark));
    assertThat(decode(bytes(FrameEncoder.frame(chunk, false))))
        .isInstanceOfSatisfying(
            StreamMessage.Frame.class, frame -> assertThat(frame.mark()).isNull());
  }

  @Test
  void frame_isWhatGeneratedCodeReads() throws IOException {
    byte[] bytes = bytes(FrameEncoder.frame(Chunk.of(3, List.of(longs(1, 2, 3))), true));
    ReadTaskResponse read = ReadTaskResponse.parseFrom(bytes);
    assertThat(read.getFrame().getRows()).isEqualTo(3);
    assertThat(read.getFrame().getAcknowledgePromptly()).isTrue();
    assertThat(read.getColumns(0))
        .isEqualTo(TensorProtos.write(Tensor.vector(1L, 2L, 3L)).getTensorContent());
  }

  @Test
  void frame_writtenByGeneratedCode_isRead() {
    ReadTaskResponse written =
        ReadTaskResponse.newBuilder()
            .setFrame(frameHead(2, ColumnHead.newBuilder().setRowShape(RowShape.newBuilder())))
            .addColumns(TensorProtos.write(Tensor.vector(1L, 2L)).getTensorContent())
            .build();
    StreamMessage.Frame frame = (StreamMessage.Frame) decode(written.toByteArray());
    assertThat(frame.chunk().column(0).row(1).integer(0)).isEqualTo(2);
  }

  @Test
  void rowError_keepsCodeMessageAndPosition() {
    StatusException failure = new StatusException(StatusCode.DATA_LOSS, "a.tfrecord is torn at 12");
    StreamMessage.RowFailed read =
        (StreamMessage.RowFailed) decode(bytes(FrameEncoder.error(77, failure)));
    assertThat(read.position()).isEqualTo(77);
    assertThat(read.failure().code()).isEqualTo(StatusCode.DATA_LOSS);
    assertThat(read.failure().message()).isEqualTo(failure.message());
  }

  @Test
  void heartbeatAndEnd_comeBack() {
    assertThat(decode(bytes(FrameEncoder.heartbeat(3, true))))
        .isEqualTo(new StreamMessage.Alive(3, true));
    assertThat(decode(bytes(FrameEncoder.END))).isEqualTo(new StreamMessage.End());
  }

  @Test
  void unknownFields_arePassedOver() {
    byte[] unknown = {
      (byte) 0x98, 0x06, 0x05, (byte) 0xa2, 0x06, 0x02, 1, 2, (byte) 0xad, 6, 1, 2, 3, 4
    };
    assertThat(decode(unknown)).isEqualTo(new StreamMessage.Alive(0, false));
  }

  @Test
  void resource_isRefusedByName() {
    Column column = new Column.Listed(DataType.RESOURCE, List.of(Tensor.resource("a table")));
    assertThatThrownBy(() -> FrameEncoder.frame(Chunk.of(1, List.of(longs(1), column)), false))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNIMPLEMENTED))
        .hasMessageContaining("component 1")
        .hasMessageContaining("resource");
  }

  @Test
  void variantThatIsNoVariant_isRefused() {
    Column column = new Column.Listed(DataType.VARIANT, List.of(Tensor.variant(new Object())));
    assertThatThrownBy(() -> FrameEncoder.frame(Chunk.of(1, List.of(column)), false))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));
  }

  @Test
  void truncatedMessage_isUnreadable() {
    byte[] whole = bytes(FrameEncoder.frame(mixed(), false));
    for (int length = 1; length < whole.length; length++) {
      StreamMessage read = decode(Arrays.copyOf(whole, length));
      assertThat(read).as("cut to %d", length).isInstanceOf(StreamMessage.Unreadable.class);
    }
  }

  @Test
  void corruptMessage_neverThrows() {
    byte[] whole = bytes(FrameEncoder.frame(mixed(), false));
    for (int i = 0; i < 20_000; i++) {
      byte[] corrupt = whole.clone();
      for (int flips = RANDOM.nextInt(4); flips >= 0; flips--) {
        corrupt[RANDOM.nextInt(corrupt.length)] = (byte) RANDOM.nextInt();
      }
      assertThat(decode(corrupt)).isNotNull();
    }
  }

  static Stream<FrameHead.Builder> hostileHeads() {
    RowShape.Builder huge = RowShape.newBuilder().addSizes(1L << 30).addSizes(1L << 30);
    RowShape.Builder negative = RowShape.newBuilder().addSizes(-1);
    RowShape.Builder scalar = RowShape.newBuilder();
    return Stream.of(
        frameHead(2, ColumnHead.newBuilder().setRowShape(huge)),
        frameHead(2, ColumnHead.newBuilder().setRowShape(negative)),
        frameHead(Integer.MAX_VALUE, ColumnHead.newBuilder().setRowShape(scalar)),
        frameHead(3, ColumnHead.newBuilder().setRowShape(scalar)),
        frameHead(1, ColumnHead.newBuilder().setRowShape(scalar)),
        frameHead(0, ColumnHead.newBuilder().setRowShape(scalar)),
        frameHead(-1, ColumnHead.newBuilder().setRowShape(scalar)),
        frameHead(3, ColumnHead.newBuilder().addRowShapes(scalar).addRowShapes(scalar)),
        frameHead(2, ColumnHead.newBuilder()),
        frameHead(2, ColumnHead.newBuilder().setRowShape(scalar).setDtypeValue(99)),
        frameHead(
            2,
            ColumnHead.newBuilder()
                .setRowShape(scalar)
                .setDtype(io.headrace.proto.tensorflow.DataType.DT_RESOURCE)),
        frameHead(2, ColumnHead.newBuilder().setRowShape(scalar)).setVersion(2),
        frameHead(2, ColumnHead.newBuilder().setRowShape(scalar)).setPosition(-1),
        frameHead(2, ColumnHead.newBuilder().setRowShape(scalar)).clearColumns());
  }

  @ParameterizedTest
  @MethodSource("hostileHeads")
  void hostileHead_isUnreadable(FrameHead.Builder head) {
    ReadTaskResponse written =
        ReadTaskResponse.newBuilder()
            .setFrame(head)
            .addColumns(ByteString.copyFrom(new byte[16]))
            .build();
    assertThat(decode(written.toByteArray())).isInstanceOf(StreamMessage.Unreadable.class);
  }

  private static FrameHead.Builder frameHead(int rows, ColumnHead.Builder column) {
    if (column.getDtypeValue() == 0) {
      column.setDtypeValue(DataType.INT64.number());
    }
    return FrameHead.newBuilder().setVersion(1).setRows(rows).addColumns(column);
  }

  private static Chunk mixed() {
    List<Tensor> ragged =
        List.of(
            Tensor.vector(1, 2, 3), Tensor.vector(new int[0]), Tensor.scalar(4), Tensor.vector(5));
    return Chunk.of(
        4,
        List.of(
            longs(1, -2, 3, Long.MIN_VALUE),
            new Column.Stacked(Tensor.vector("", "a", "bc", "d".repeat(9_000))),
            new Column.Stacked(random(DataType.FLOAT64, Shape.of(4, 3))),
            new Column.Listed(DataType.INT32, ragged)));
  }

  private static Column longs(long... values) {
    return new Column.Stacked(Tensor.vector(values));
  }

  private static Tensor random(DataType dtype, Shape shape) {
    int elements = shape.elements();
    Object array = dtype.kind().newArray(elements);
    switch (array) {
      case byte[][] strings -> {
        for (int i = 0; i < elements; i++) {
          strings[i] = new byte[RANDOM.nextInt(300)];
          RANDOM.nextBytes(strings[i]);
        }
      }
      case Object[] variants -> {
        for (int i = 0; i < elements; i++) {
          variants[i] = new Variant.Encoded(variant(i));
        }
      }
      default -> {
        byte[] bytes = new byte[elements * dtype.byteSize()];
        RANDOM.nextBytes(bytes);
        TensorContent.readNumbers(MemorySegment.ofArray(bytes), 0, array);
      }
    }
    return Tensor.wrap(dtype, shape, array);
  }

  private static VariantTensorDataProto variant(int i) {
    return VariantTensorDataProto.newBuilder()
        .setTypeName("a type")
        .addTensors(TensorProtos.write(Tensor.scalar(i)))
        .build();
  }

  private static Chunk roundTrip(Chunk chunk) {
    StreamMessage read = decode(bytes(FrameEncoder.frame(chunk, false)));
    assertThat(read).isInstanceOf(StreamMessage.Frame.class);
    return ((StreamMessage.Frame) read).chunk();
  }

  private static StreamMessage decode(byte[] bytes) {
    return StreamMethod.CLIENT.parseResponse(new ByteArrayInputStream(bytes));
  }

  private static InputStream pieces(byte[] bytes, int pieceBytes) {
    return new PiecesInputStream(bytes, pieceBytes);
  }

  private static byte[] bytes(OutboundMessage message) {
    try {
      byte[] bytes = message.stream().readAllBytes();
      assertThat(bytes).hasSize(message.size());
      return bytes;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertSame(Chunk actual, Chunk expected) {
    assertThat(actual.rows()).isEqualTo(expected.rows());
    assertThat(actual.columns()).hasSameSizeAs(expected.columns());
    for (int c = 0; c < expected.columns().size(); c++) {
      Column column = actual.column(c);
      assertThat(column.getClass()).isEqualTo(expected.column(c).getClass());
      Column wanted = expected.column(c);
      assertThat(IntStream.range(0, column.rows()).mapToObj(column::row).map(TensorProtos::write))
          .containsExactlyElementsOf(
              IntStream.range(0, wanted.rows())
                  .mapToObj(wanted::row)
                  .map(TensorProtos::write)
                  .toList());
    }
  }
}

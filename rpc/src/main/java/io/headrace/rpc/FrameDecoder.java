package io.headrace.rpc;

import com.google.protobuf.WireFormat;
import io.headrace.proto.headrace.ColumnHead;
import io.headrace.proto.headrace.DroppedRecords;
import io.headrace.proto.headrace.FrameHead;
import io.headrace.proto.headrace.Heartbeat;
import io.headrace.proto.headrace.Opened;
import io.headrace.proto.headrace.ReadTaskResponse;
import io.headrace.proto.headrace.RowError;
import io.headrace.proto.headrace.RowShape;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one ReadTaskResponse and reads the columns of a frame straight into the arrays of their
 * tensors. Malformed messages are DATA_LOSS. For a single use.
 */
final class FrameDecoder {
  private final InboundMessage message;
  private final int wireBytes;
  private @Nullable FrameHead head;
  private @Nullable StreamMessage event;
  private final List<Column> columns = new ArrayList<>();

  FrameDecoder(InboundMessage message) {
    this.message = message;
    this.wireBytes = (int) message.remaining();
  }

  StreamMessage decode() throws IOException {
    while (message.remaining() > 0) {
      int tag = (int) message.readVarint();
      if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        readField(WireFormat.getTagFieldNumber(tag), message.readVarint());
      } else {
        skipField(WireFormat.getTagWireType(tag));
      }
    }
    if (head != null) {
      return new StreamMessage.Frame(
          chunk(head), head.getAcknowledgePromptly(), mark(head), wireBytes);
    }
    // An event of a later version of the protocol counts as a heartbeat.
    return event == null ? new StreamMessage.Alive(0, false) : event;
  }

  private static @Nullable TraceMark mark(FrameHead head) {
    return head.hasTrace()
        ? new TraceMark(head.getTrace().getTrace(), head.getTrace().getPosition())
        : null;
  }

  private void readField(int number, long length) throws IOException {
    switch (number) {
      case ReadTaskResponse.FRAME_FIELD_NUMBER ->
          head = checked(FrameHead.parseFrom(message.readBytes(length)));
      case ReadTaskResponse.COLUMNS_FIELD_NUMBER -> columns.add(column(length));
      case ReadTaskResponse.HEARTBEAT_FIELD_NUMBER ->
          event = alive(Heartbeat.parseFrom(message.readBytes(length)));
      case ReadTaskResponse.END_FIELD_NUMBER -> {
        message.skip(length);
        event = new StreamMessage.End();
      }
      case ReadTaskResponse.ERROR_FIELD_NUMBER ->
          event = error(RowError.parseFrom(message.readBytes(length)));
      case ReadTaskResponse.DROPPED_FIELD_NUMBER ->
          event = dropped(DroppedRecords.parseFrom(message.readBytes(length)));
      case ReadTaskResponse.OPENED_FIELD_NUMBER ->
          event =
              new StreamMessage.Opened(
                  Opened.parseFrom(message.readBytes(length)).getIncarnation());
      default -> message.skip(length);
    }
  }

  private void skipField(int wireType) throws IOException {
    switch (wireType) {
      case WireFormat.WIRETYPE_VARINT -> {
        var _ = message.readVarint();
      }
      case WireFormat.WIRETYPE_FIXED32 -> message.skip(Integer.BYTES);
      case WireFormat.WIRETYPE_FIXED64 -> message.skip(Long.BYTES);
      default ->
          throw StatusException.of(
              StatusCode.DATA_LOSS, "a message with a field of wire type %d", wireType);
    }
  }

  private static StreamMessage alive(Heartbeat heartbeat) {
    return new StreamMessage.Alive(heartbeat.getErrorsIgnored(), heartbeat.getClaimRows());
  }

  private static FrameHead checked(FrameHead head) {
    if (head.getVersion() < 1 || head.getVersion() > FrameEncoder.VERSION) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "a frame of version %d; this reader knows those up to %d",
          head.getVersion(),
          FrameEncoder.VERSION);
    }
    if (head.getRows() < 1 || head.getPosition() < 0) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "a frame of %d rows at position %d",
          head.getRows(),
          head.getPosition());
    }
    return head;
  }

  private StreamMessage error(RowError error) {
    StatusCode code = StatusCode.ofNumber(error.getCode());
    return new StreamMessage.RowFailed(
        error.getPosition(),
        new StatusException(code == StatusCode.OK ? StatusCode.UNKNOWN : code, error.getMessage()),
        wireBytes);
  }

  private StreamMessage dropped(DroppedRecords dropped) {
    return new StreamMessage.Dropped(
        dropped.getPosition(), OriginCodec.read(dropped.getOriginsList(), 0), wireBytes);
  }

  private Column column(long length) throws IOException {
    if (head == null || columns.size() >= head.getColumnsCount()) {
      throw new StatusException(
          StatusCode.DATA_LOSS, "a message with a column that its head does not announce");
    }
    ColumnHead of = head.getColumns(columns.size());
    DataType dtype = DataType.ofNumber(of.getDtypeValue());
    TensorReader reader = new TensorReader(message, length);
    Column column =
        of.hasRowShape()
            ? new Column.Stacked(
                reader.read(dtype, shape(of.getRowShape()).prepend(head.getRows())))
            : listed(of, dtype, reader);
    if (reader.remaining() != 0) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "column %d of a frame has %d bytes more than its rows take",
          columns.size(),
          reader.remaining());
    }
    return column;
  }

  private static Column listed(ColumnHead of, DataType dtype, TensorReader reader)
      throws IOException {
    List<Tensor> rows = new ArrayList<>(of.getRowShapesCount());
    for (RowShape shape : of.getRowShapesList()) {
      rows.add(reader.read(dtype, shape(shape)));
    }
    return new Column.Listed(dtype, rows);
  }

  private static Shape shape(RowShape shape) {
    long[] sizes = new long[shape.getSizesCount()];
    for (int axis = 0; axis < sizes.length; axis++) {
      sizes[axis] = shape.getSizes(axis);
      if (sizes[axis] < 0) {
        throw StatusException.of(
            StatusCode.DATA_LOSS, "a frame's rows have a dimension of %d", sizes[axis]);
      }
    }
    return Shape.of(sizes);
  }

  private Chunk chunk(FrameHead of) {
    if (columns.size() != of.getColumnsCount()) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "a frame announces %d columns and has %d",
          of.getColumnsCount(),
          columns.size());
    }
    for (Column column : columns) {
      if (column.rows() != of.getRows()) {
        throw StatusException.of(
            StatusCode.DATA_LOSS,
            "a frame announces %d rows and has a column of %d",
            of.getRows(),
            column.rows());
      }
    }
    Origins origins = OriginCodec.read(of.getOriginsList(), of.getRows());
    return new Chunk(of.getRows(), columns, of.getPosition(), origins);
  }
}

package io.headrace.rpc;

import io.headrace.proto.headrace.ColumnHead;
import io.headrace.proto.headrace.DroppedRecords;
import io.headrace.proto.headrace.EndOfTask;
import io.headrace.proto.headrace.FrameHead;
import io.headrace.proto.headrace.Heartbeat;
import io.headrace.proto.headrace.Opened;
import io.headrace.proto.headrace.ReadTaskResponse;
import io.headrace.proto.headrace.RowError;
import io.headrace.proto.headrace.RowShape;
import io.headrace.proto.headrace.TraceMarkProto;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Encodes the messages that a worker sends on a stream, each a ReadTaskResponse. */
final class FrameEncoder {
  /** The version of the protocol that this code writes and reads. */
  static final int VERSION = 1;

  static final OutboundMessage END =
      OutboundMessage.of(
          ReadTaskResponse.newBuilder().setEnd(EndOfTask.getDefaultInstance()).build());

  private FrameEncoder() {}

  /**
   * A sign of life, with the elements of the pass that ignore_errors has left out.
   *
   * @param claimRows whether the reader is asked to claim the rows that have arrived
   */
  static OutboundMessage heartbeat(long errorsIgnored, boolean claimRows) {
    return OutboundMessage.of(
        ReadTaskResponse.newBuilder()
            .setHeartbeat(
                Heartbeat.newBuilder().setErrorsIgnored(errorsIgnored).setClaimRows(claimRows))
            .build());
  }

  /** The first message of a stream. */
  static OutboundMessage opened(long incarnation) {
    return OutboundMessage.of(
        ReadTaskResponse.newBuilder()
            .setOpened(Opened.newBuilder().setIncarnation(incarnation))
            .build());
  }

  /** A frame of {@code chunk}'s rows, none of which is marked; fails as the other one does. */
  static OutboundMessage frame(Chunk chunk, boolean acknowledgePromptly) {
    return frame(chunk, acknowledgePromptly, null);
  }

  /**
   * A frame of {@code chunk}'s rows.
   *
   * @param mark the mark of one of them; mostly null
   * @throws StatusException as {@link TensorWriter#append}, naming the component
   */
  static OutboundMessage frame(Chunk chunk, boolean acknowledgePromptly, @Nullable TraceMark mark) {
    FrameHead.Builder head =
        FrameHead.newBuilder()
            .setVersion(VERSION)
            .setPosition(chunk.position())
            .setRows(chunk.rows())
            .setAcknowledgePromptly(acknowledgePromptly);
    if (mark != null) {
      head.setTrace(
          TraceMarkProto.newBuilder().setTrace(mark.trace()).setPosition(mark.position()));
    }
    chunk.columns().forEach(column -> head.addColumns(head(column)));
    OriginCodec.write(chunk.origins(), head::addOrigins);
    OutboundMessage.Builder out = new OutboundMessage.Builder();
    out.field(ReadTaskResponse.FRAME_FIELD_NUMBER, head.build().toByteString());
    for (int c = 0; c < chunk.columns().size(); c++) {
      out.field(ReadTaskResponse.COLUMNS_FIELD_NUMBER, content(chunk.column(c), c));
    }
    return out.build();
  }

  /** An error in place of the row at {@code position}. */
  static OutboundMessage error(long position, StatusException failure) {
    RowError.Builder error =
        RowError.newBuilder()
            .setPosition(position)
            .setCode(failure.code().number())
            .setMessage(failure.message());
    return OutboundMessage.of(ReadTaskResponse.newBuilder().setError(error).build());
  }

  /** Records that yielded no row, at {@code position}. */
  static OutboundMessage dropped(long position, Origins origins) {
    DroppedRecords.Builder dropped = DroppedRecords.newBuilder().setPosition(position);
    OriginCodec.write(origins, dropped::addOrigins);
    return OutboundMessage.of(ReadTaskResponse.newBuilder().setDropped(dropped).build());
  }

  private static ColumnHead head(Column column) {
    ColumnHead.Builder head = ColumnHead.newBuilder().setDtypeValue(column.dtype().number());
    switch (column) {
      case Column.Stacked stacked -> head.setRowShape(shape(stacked.rowShape()));
      case Column.Listed listed -> {
        for (Tensor row : listed.tensors()) {
          head.addRowShapes(shape(row.shape()));
        }
      }
    }
    return head.build();
  }

  private static RowShape shape(Shape shape) {
    RowShape.Builder sizes = RowShape.newBuilder();
    for (int axis = 0; axis < shape.rank(); axis++) {
      sizes.addSizes(shape.size(axis));
    }
    return sizes.build();
  }

  private static OutboundMessage.Builder content(Column column, int component) {
    OutboundMessage.Builder content = new OutboundMessage.Builder();
    try {
      switch (column) {
        case Column.Stacked stacked -> TensorWriter.append(stacked.tensor(), content);
        case Column.Listed listed ->
            listed.tensors().forEach(row -> TensorWriter.append(row, content));
      }
    } catch (StatusException e) {
      throw e.in("component " + component);
    }
    return content;
  }
}

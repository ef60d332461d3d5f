package io.headrace.worker;

import io.headrace.kernels.variant.CompressedElements;
import io.headrace.kernels.variant.CompressedVariant;
import io.headrace.proto.data.CompressedElement;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.data.UncompressedElement;
import io.headrace.proto.headrace.GetElementNote;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.rpc.OutboundMessage;
import io.headrace.rpc.TensorWriter;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;
import java.util.List;

/** Encodes the replies to GetElement. */
final class GetElementResponses {
  /** No row is ready: the client skips the task for now. */
  static final OutboundMessage SKIP =
      OutboundMessage.of(GetElementResponse.newBuilder().setSkipTask(true).build());

  /** The task has ended. */
  static final OutboundMessage END =
      OutboundMessage.of(GetElementResponse.newBuilder().setEndOfSequence(true).build());

  private static final OutboundMessage NO_COMPONENTS =
      OutboundMessage.of(GetElementResponse.getDefaultInstance());

  private GetElementResponses() {}

  /**
   * The reply with {@code row} in its own form: compressed if the dataset compresses its elements,
   * otherwise uncompressed.
   *
   * @throws StatusException FAILED_PRECONDITION or UNIMPLEMENTED for values that can't be
   *     serialized
   */
  static OutboundMessage plain(TakeResult.Row row) {
    List<Column> columns = row.chunk().columns();
    if (columns.isEmpty()) {
      return NO_COMPONENTS;
    }
    if (columns.size() == 1 && columns.getFirst().dtype() == DataType.VARIANT) {
      Tensor only = columns.getFirst().row(row.index());
      if (only.shape().equals(Shape.SCALAR)) {
        return compressed(compressedElement(only.reference(0)));
      }
    }
    return uncompressed(columns, row.index());
  }

  /** The reply with {@code row} compressed. Slow for large rows. */
  static OutboundMessage compressed(TakeResult.Row row) {
    return compressed(CompressedElements.compress(row.chunk().row(row.index())));
  }

  /** {@code reply} with the errors that {@code task} has ignored, for our readers. */
  static OutboundMessage noted(OutboundMessage reply, RunningTask task) {
    long ignored = task.errorsIgnored();
    return ignored == 0
        ? reply
        : reply.with(
            GetElementNote.newBuilder()
                .setErrorsIgnored(ignored)
                .setPass(task.incarnation())
                .build());
  }

  private static CompressedElement compressedElement(Object value) {
    if (value instanceof CompressedVariant compressed) {
      return compressed.element();
    }
    try {
      return CompressedVariant.of(value).element();
    } catch (StatusException e) {
      String typeName =
          value instanceof Variant.Encoded encoded
              ? encoded.proto().getTypeName()
              : value.getClass().getSimpleName();
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "Expected dataset to produce a CompressedElement variant tensor, but it produced "
              + typeName,
          e);
    }
  }

  private static OutboundMessage compressed(CompressedElement element) {
    byte[] rest = element.toBuilder().clearData().build().toByteArray();
    OutboundMessage.Builder content =
        new OutboundMessage.Builder()
            .field(CompressedElement.DATA_FIELD_NUMBER, element.getData())
            .bytes(rest);
    return new OutboundMessage.Builder()
        .field(GetElementResponse.COMPRESSED_FIELD_NUMBER, content)
        .build();
  }

  private static OutboundMessage uncompressed(List<Column> columns, int index) {
    OutboundMessage.Builder components = new OutboundMessage.Builder();
    for (int c = 0; c < columns.size(); c++) {
      OutboundMessage.Builder tensor = tensor(columns.get(c).row(index), c);
      components.field(UncompressedElement.COMPONENTS_FIELD_NUMBER, tensor);
    }
    return new OutboundMessage.Builder()
        .field(GetElementResponse.UNCOMPRESSED_FIELD_NUMBER, components)
        .build();
  }

  private static OutboundMessage.Builder tensor(Tensor value, int component) {
    TensorProto head =
        TensorProto.newBuilder()
            .setDtypeValue(value.dtype().number())
            .setTensorShape(TensorProtos.shape(value.shape()))
            .build();
    OutboundMessage.Builder content = new OutboundMessage.Builder();
    try {
      TensorWriter.append(value, content);
    } catch (StatusException e) {
      throw e.in("component " + component);
    }
    OutboundMessage.Builder tensor = new OutboundMessage.Builder().bytes(head.toByteArray());
    return content.size() == 0
        ? tensor
        : tensor.field(TensorProto.TENSOR_CONTENT_FIELD_NUMBER, content);
  }
}

package io.headrace.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.headrace.proto.tensorflow.RecvTensorRequest;
import io.headrace.proto.tensorflow.RecvTensorResponse;
import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.proto.tensorflow.WorkerServiceGrpc;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.io.InputStream;

/**
 * The method RecvTensor with the marshallers of each end. A tensor is copied once at each end: from
 * its array into the transport's buffers, and from these into an array.
 */
public final class RecvTensorMethod {
  /** The sender's end: it sends serialized replies. */
  public static final MethodDescriptor<RecvTensorRequest, OutboundMessage> SENDER =
      OutboundMessage.answering(WorkerServiceGrpc.getRecvTensorMethod());

  /** The receiver's end. */
  public static final MethodDescriptor<RecvTensorRequest, Received> RECEIVER =
      WorkerServiceGrpc.getRecvTensorMethod().toBuilder(requests(), new Receiving()).build();

  static final int TAG_BITS = 3;
  private static final int TAG_MASK = (1 << TAG_BITS) - 1;

  private RecvTensorMethod() {}

  /** A received reply. */
  public sealed interface Received {
    /**
     * The received value.
     *
     * @throws StatusException the reason, if the reply can't be decoded
     */
    Value value();
  }

  private record Whole(Value value) implements Received {}

  private record Unreadable(StatusException failure) implements Received {
    @Override
    public Value value() {
      throw failure.in("a tensor that was received can't be read");
    }
  }

  private static Marshaller<RecvTensorRequest> requests() {
    return WorkerServiceGrpc.getRecvTensorMethod().getRequestMarshaller();
  }

  /** The reply that transfers {@code value}. It borrows the array, which must not be modified. */
  public static OutboundMessage answer(Value value) {
    return fields(value).build();
  }

  /** The fields of the reply. */
  static OutboundMessage.Builder fields(Value value) {
    Tensor tensor = value.tensor();
    if (value.isDead() || tensor.dtype() == DataType.RESOURCE) {
      return new OutboundMessage.Builder()
          .bytes(
              RecvTensorResponse.newBuilder()
                  .setIsDead(value.isDead())
                  .setTensor(TensorProtos.write(value.isDead() ? tensor : handles(tensor)))
                  .build()
                  .toByteArray());
    }
    OutboundMessage.Builder content = new OutboundMessage.Builder();
    TensorWriter.append(tensor, content);
    byte[] head =
        TensorProto.newBuilder()
            .setDtypeValue(tensor.dtype().number())
            .setTensorShape(TensorProtos.shape(tensor.shape()))
            .build()
            .toByteArray();
    OutboundMessage.Builder written = new OutboundMessage.Builder().bytes(head);
    if (content.size() > 0) {
      written.field(TensorProto.TENSOR_CONTENT_FIELD_NUMBER, content);
    }
    return new OutboundMessage.Builder().field(RecvTensorResponse.TENSOR_FIELD_NUMBER, written);
  }

  /**
   * The handles of resources, which themselves stay at their task; no other task can use the
   * handle. They travel because stock masters make a loop's task receive all loop variables,
   * including resources of other tasks, if a client runs the loop's node without fetching its
   * outputs.
   */
  private static Tensor handles(Tensor resources) {
    Object[] handles = new Object[resources.elements()];
    for (int i = 0; i < handles.length; i++) {
      handles[i] =
          resources.reference(i) instanceof ResourceHandleProto handle
              ? handle
              : ResourceHandleProto.newBuilder()
                  .setMaybeTypeName(resources.reference(i).getClass().getSimpleName())
                  .build();
    }
    return Tensor.wrap(DataType.RESOURCE, resources.shape(), handles);
  }

  private static final class Receiving implements Marshaller<Received> {
    @Override
    public InputStream stream(Received received) {
      throw new UnsupportedOperationException("the receiver of a tensor does not send it");
    }

    /** Never throws: gRPC would end the call with a status that does not name the reason. */
    @Override
    public Received parse(InputStream stream) {
      try (stream) {
        InboundMessage message = InboundMessage.of(stream);
        return new Whole(read(message, message.remaining()));
      } catch (IOException e) {
        return new Unreadable(new StatusException(StatusCode.DATA_LOSS, String.valueOf(e), e));
      } catch (StatusException e) {
        return new Unreadable(e);
      }
    }
  }

  /** The value of the RecvTensorResponse in the next {@code length} bytes. */
  static Value read(InboundMessage message, long length) throws IOException {
    Tensor tensor = Tensor.scalar(0f);
    boolean isDead = false;
    long end = message.remaining() - length;
    while (message.remaining() > end) {
      long tag = message.readVarint();
      switch ((int) (tag >>> TAG_BITS)) {
        case RecvTensorResponse.TENSOR_FIELD_NUMBER ->
            tensor = readTensor(message, message.readVarint());
        case RecvTensorResponse.IS_DEAD_FIELD_NUMBER -> isDead = message.readVarint() != 0;
        default -> skip(message, tag);
      }
    }
    return isDead ? Value.dead() : Value.of(tensor);
  }

  static void skip(InboundMessage message, long tag) throws IOException {
    switch ((int) (tag & TAG_MASK)) {
      case WireFormat.WIRETYPE_VARINT -> {
        var _ = message.readVarint();
      }
      case WireFormat.WIRETYPE_FIXED64 -> message.skip(Long.BYTES);
      case WireFormat.WIRETYPE_LENGTH_DELIMITED -> message.skip(message.readVarint());
      case WireFormat.WIRETYPE_FIXED32 -> message.skip(Integer.BYTES);
      default -> throw new StatusException(StatusCode.DATA_LOSS, "a field of type " + tag);
    }
  }

  /**
   * Reads a TensorProto of {@code length} bytes. Dtype and shape come first, then mostly
   * tensor_content.
   */
  private static Tensor readTensor(InboundMessage message, long length) throws IOException {
    TensorReader content = new TensorReader(message, length);
    TensorProto.Builder head = TensorProto.newBuilder();
    while (content.remaining() > 0) {
      long tag = message.readVarint();
      switch ((int) (tag >>> TAG_BITS)) {
        case TensorProto.DTYPE_FIELD_NUMBER -> head.setDtypeValue((int) message.readVarint());
        case TensorProto.TENSOR_SHAPE_FIELD_NUMBER ->
            head.mergeTensorShape(
                TensorShapeProto.parseFrom(message.readBytes(message.readVarint())));
        case TensorProto.TENSOR_CONTENT_FIELD_NUMBER -> {
          long size = message.readVarint();
          if (size == content.remaining() && isNumeric(head)) {
            return readContent(content, head);
          }
          head.setTensorContent(ByteString.copyFrom(message.readBytes(size)));
        }
        default -> {
          return readRest(tag, message.readBytes(content.remaining()), head);
        }
      }
    }
    return TensorProtos.read(head.build());
  }

  private static boolean isNumeric(TensorProto.Builder head) {
    return DataType.ofNumber(head.getDtypeValue()).kind().isFixedWidth();
  }

  private static Tensor readContent(TensorReader content, TensorProto.Builder head)
      throws IOException {
    DataType dtype = DataType.ofNumber(head.getDtypeValue());
    Shape shape = TensorProtos.shape(head.getTensorShape());
    if (!shape.isKnown() || (long) shape.elements() * dtype.byteSize() != content.remaining()) {
      throw StatusException.invalidArgument(
          "a tensor %s%s comes with a tensor_content of %d bytes",
          dtype.tfName(), shape, content.remaining());
    }
    return content.read(dtype, shape);
  }

  /** Reads the remaining fields, from the field {@code tag} on, in any other form. */
  private static Tensor readRest(long tag, byte[] rest, TensorProto.Builder head)
      throws IOException {
    byte[] first = new byte[CodedOutputStream.computeUInt64SizeNoTag(tag)];
    CodedOutputStream.newInstance(first).writeUInt64NoTag(tag);
    ByteString fields = ByteString.copyFrom(first).concat(ByteString.copyFrom(rest));
    return TensorProtos.read(head.mergeFrom(fields).build());
  }
}

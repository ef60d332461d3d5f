package io.headrace.rpc;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.headrace.proto.headrace.TensorHead;
import io.headrace.proto.headrace.TensorPart;
import io.headrace.proto.tensorflow.RecvTensorRequest;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Receives a tensor in parts from another task of ours, on the transport's threads: it copies each
 * part into the tensor's array. For a single call.
 */
public final class TensorPartsReceiver extends ClientCall.Listener<InputStream> {
  /** The method of the call. */
  public static final MethodDescriptor<RecvTensorRequest, InputStream> METHOD =
      TensorPartsMethod.RECEIVER;

  private final ClientCall<RecvTensorRequest, InputStream> call;
  private final CompletableFuture<Optional<Value>> value = new CompletableFuture<>();
  private boolean served;
  private @Nullable PartialTensor partial;

  private TensorPartsReceiver(ClientCall<RecvTensorRequest, InputStream> call) {
    this.call = call;
  }

  /**
   * Starts {@code call}.
   *
   * @return the tensor; empty if the task does not send tensors in parts; fails with a
   *     StatusException
   */
  public static CompletableFuture<Optional<Value>> receive(
      ClientCall<RecvTensorRequest, InputStream> call, RecvTensorRequest request) {
    TensorPartsReceiver receiver = new TensorPartsReceiver(call);
    call.start(receiver, new Metadata());
    call.request(Integer.MAX_VALUE); // each part is copied before the next is read
    call.sendMessage(request);
    call.halfClose();
    return receiver.value;
  }

  @Override
  public void onMessage(InputStream part) {
    served = true;
    try {
      read(InboundMessage.of(part));
    } catch (IOException e) {
      fail(new StatusException(StatusCode.DATA_LOSS, String.valueOf(e), e));
    } catch (StatusException e) {
      fail(e.in("a tensor that was received can't be read"));
    }
  }

  private void read(InboundMessage part) throws IOException {
    while (part.remaining() > 0) {
      long tag = part.readVarint();
      switch ((int) (tag >>> RecvTensorMethod.TAG_BITS)) {
        case TensorPart.WHOLE_FIELD_NUMBER ->
            value.complete(Optional.of(RecvTensorMethod.read(part, part.readVarint())));
        case TensorPart.HEAD_FIELD_NUMBER ->
            partial = new PartialTensor(TensorHead.parseFrom(part.readBytes(part.readVarint())));
        case TensorPart.CONTENT_FIELD_NUMBER -> fill(part);
        default -> RecvTensorMethod.skip(part, tag);
      }
    }
  }

  private void fill(InboundMessage part) throws IOException {
    @Nullable PartialTensor current = partial;
    if (current == null) {
      throw new StatusException(StatusCode.DATA_LOSS, "content comes before what it belongs to");
    }
    if (current.read(part, part.readVarint())) {
      value.complete(Optional.of(Value.of(current.tensor())));
    }
  }

  private void fail(StatusException failure) {
    value.completeExceptionally(failure);
    call.cancel(failure.message(), failure);
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    if (status.isOk()) {
      value.completeExceptionally(
          new StatusException(StatusCode.DATA_LOSS, "a tensor ended before its last part"));
    } else if (status.getCode() == Status.Code.UNIMPLEMENTED && !served) {
      value.complete(Optional.empty());
    } else {
      value.completeExceptionally(GrpcStatuses.fromGrpc(status.asRuntimeException(trailers)));
    }
  }

  /** A tensor whose parts are being received. */
  private static final class PartialTensor {
    private final DataType dtype;
    private final Shape shape;
    private final Object array;
    private final int slots;
    private final int slotBytes;
    private int done;

    PartialTensor(TensorHead head) {
      dtype = DataType.ofNumber(head.getDtypeValue());
      shape = TensorProtos.shape(head.getShape());
      ElementKind kind = dtype.kind();
      if (!shape.isKnown() || !kind.isFixedWidth()) {
        throw StatusException.of(
            StatusCode.DATA_LOSS, "a tensor %s%s comes in parts", dtype.tfName(), shape);
      }
      array = TensorLimit.allocate(dtype, shape);
      slots = shape.elements() * kind.slots();
      slotBytes = kind.elementBytes() / kind.slots();
    }

    /**
     * Reads the next part.
     *
     * @return whether it was the last one
     */
    boolean read(InboundMessage from, long bytes) throws IOException {
      long left = (long) (slots - done) * slotBytes;
      if (bytes < 1 || bytes > left || bytes % slotBytes != 0) {
        throw StatusException.of(
            StatusCode.DATA_LOSS,
            "a part of %d bytes of a tensor %s%s, of which %d bytes are to come",
            bytes,
            dtype.tfName(),
            shape,
            left);
      }
      int count = (int) (bytes / slotBytes);
      from.readNumbers(array, done, count, slotBytes);
      done += count;
      return done == slots;
    }

    Tensor tensor() {
      return Tensor.wrap(dtype, shape, array);
    }
  }
}

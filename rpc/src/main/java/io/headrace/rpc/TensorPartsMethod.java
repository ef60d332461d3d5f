package io.headrace.rpc;

import com.google.protobuf.ByteString;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.headrace.proto.headrace.TensorHead;
import io.headrace.proto.headrace.TensorPart;
import io.headrace.proto.headrace.TensorPartsGrpc;
import io.headrace.proto.tensorflow.RecvTensorRequest;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The method TensorPartsMethod.ReceiveTensor with the marshallers of each end. A large tensor is
 * sent in parts that fit the processor's caches: each is copied from the sender's array when the
 * transport is ready for it, and into the receiver's array when it arrives, so that both ends work
 * in parallel and neither buffers the whole tensor.
 */
public final class TensorPartsMethod {
  /** The sender's end: it sends serialized messages. */
  public static final MethodDescriptor<RecvTensorRequest, OutboundMessage> SENDER =
      OutboundMessage.answering(TensorPartsGrpc.getReceiveTensorMethod());

  /** The receiver's end: {@link TensorPartsReceiver} reads the parts. */
  static final MethodDescriptor<RecvTensorRequest, InputStream> RECEIVER =
      TensorPartsGrpc.getReceiveTensorMethod().toBuilder(
              TensorPartsGrpc.getReceiveTensorMethod().getRequestMarshaller(),
              new StreamMarshaller())
          .build();

  /** The size of a part in bytes; docs/performance.md has the measurements. */
  static final int PART_BYTES = 256 << 10;

  private TensorPartsMethod() {}

  /**
   * The messages that transfer {@code value}. They borrow its array, which must not be modified.
   */
  public static Iterator<OutboundMessage> of(Value value) {
    return new Parts(value);
  }

  /**
   * The message that precedes an UNIMPLEMENTED failure of a tensor. Without it, UNIMPLEMENTED means
   * that the task does not serve parts.
   */
  public static OutboundMessage served() {
    return OutboundMessage.of(TensorPart.getDefaultInstance());
  }

  private static boolean isLarge(Value value) {
    DataType dtype = value.tensor().dtype();
    return !value.isDead()
        && dtype.kind().isFixedWidth()
        && (long) value.tensor().elements() * dtype.byteSize() > PART_BYTES;
  }

  /** Makes the messages lazily, so that unsent parts hold no memory. */
  private static final class Parts implements Iterator<OutboundMessage> {
    private final Value value;
    private final int slots;
    private final int slotBytes;
    private @Nullable MemorySegment segment;
    private boolean headSent;
    private int done;

    Parts(Value value) {
      ElementKind kind = value.tensor().dtype().kind();
      this.value = value;
      this.slots = isLarge(value) ? value.tensor().elements() * kind.slots() : 0;
      this.slotBytes = isLarge(value) ? kind.elementBytes() / kind.slots() : 1;
    }

    @Override
    public boolean hasNext() {
      return !headSent || done < slots;
    }

    @Override
    public OutboundMessage next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      OutboundMessage.Builder part = new OutboundMessage.Builder();
      if (headSent) {
        return part.field(TensorPart.CONTENT_FIELD_NUMBER, content()).build();
      }
      headSent = true;
      return slots == 0
          ? part.field(TensorPart.WHOLE_FIELD_NUMBER, RecvTensorMethod.fields(value)).build()
          : part.field(TensorPart.HEAD_FIELD_NUMBER, head(value.tensor())).build();
    }

    private static ByteString head(Tensor tensor) {
      return TensorHead.newBuilder()
          .setDtypeValue(tensor.dtype().number())
          .setShape(TensorProtos.shape(tensor.shape()))
          .build()
          .toByteString();
    }

    private OutboundMessage.Builder content() {
      Tensor tensor = value.tensor();
      if (done == 0) {
        segment = TensorMemory.segment(tensor);
      }
      int count = Math.min(slots - done, PART_BYTES / slotBytes);
      int from = done;
      done += count;
      OutboundMessage.Builder content = new OutboundMessage.Builder();
      if (segment != null) {
        long bytes = (long) count * slotBytes;
        return content.segment(segment.asSlice((long) from * slotBytes, bytes));
      }
      int first = TensorMemory.offset(tensor) * tensor.dtype().kind().slots() + from;
      return content.numbers(TensorMemory.array(tensor), first, count, slotBytes);
    }
  }

  /** Passes the transport's stream to the listener, which reads it before it returns. */
  private static final class StreamMarshaller implements Marshaller<InputStream> {
    @Override
    public InputStream stream(InputStream message) {
      throw new UnsupportedOperationException("the receiver of a tensor does not send it");
    }

    @Override
    public InputStream parse(InputStream stream) {
      return stream;
    }
  }
}

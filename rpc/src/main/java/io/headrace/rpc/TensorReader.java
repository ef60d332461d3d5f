package io.headrace.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.Variant;
import java.io.IOException;

/** Reads tensors in the {@code tensor_content} form from a message. Not thread-safe. */
final class TensorReader {
  private final InboundMessage message;
  private final long end;

  /** A reader of the next {@code length} bytes of {@code message}. */
  TensorReader(InboundMessage message, long length) {
    this.message = message;
    this.end = message.remaining() - length;
    if (length < 0 || end < 0) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "a column of %d bytes in a message of which %d are left",
          length,
          message.remaining());
    }
  }

  /** Bytes not yet read. */
  long remaining() {
    return message.remaining() - end;
  }

  /**
   * The next tensor.
   *
   * @throws StatusException DATA_LOSS if it exceeds the remaining bytes, RESOURCE_EXHAUSTED if it
   *     is too large; both are checked before its array is allocated
   */
  Tensor read(DataType dtype, Shape shape) throws IOException {
    if (dtype == DataType.RESOURCE) {
      throw StatusException.unimplemented("a frame holds a resource, which can't travel");
    }
    if (!shape.isKnown()) {
      throw StatusException.of(StatusCode.DATA_LOSS, "a frame's rows have the shape %s", shape);
    }
    ElementKind kind = dtype.kind();
    int elements = shape.elements();
    long least = kind.isFixedWidth() ? (long) elements * dtype.byteSize() : elements;
    if (least > remaining()) {
      throw tooShort(dtype, shape);
    }
    Object array = TensorLimit.allocate(dtype, shape);
    if (kind.isFixedWidth()) {
      message.readNumbers(array, kind.elementBytes() / kind.slots());
    } else {
      readEach(dtype, shape, (Object[]) array, elements);
    }
    return Tensor.wrap(dtype, shape, array);
  }

  private void readEach(DataType dtype, Shape shape, Object[] to, int elements) throws IOException {
    int[] lengths = new int[elements];
    long total = 0;
    for (int i = 0; i < elements; i++) {
      long length = message.readVarint();
      total += length;
      if (length < 0 || remaining() < 0 || total > remaining()) {
        throw tooShort(dtype, shape);
      }
      lengths[i] = (int) length;
    }
    for (int i = 0; i < elements; i++) {
      byte[] bytes = message.readBytes(lengths[i]);
      to[i] = dtype == DataType.STRING ? bytes : variant(bytes);
    }
  }

  private static Variant variant(byte[] bytes) {
    try {
      return new Variant.Encoded(VariantTensorDataProto.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(StatusCode.DATA_LOSS, "a variant that can't be parsed", e);
    }
  }

  private StatusException tooShort(DataType dtype, Shape shape) {
    return StatusException.of(
        StatusCode.DATA_LOSS,
        "a frame has %d bytes left for values of %s%s, which take more",
        remaining(),
        dtype.tfName(),
        shape);
  }
}

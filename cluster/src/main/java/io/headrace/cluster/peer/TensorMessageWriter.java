package io.headrace.cluster.peer;

import io.headrace.proto.tensorflow.NamedTensorProto;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;

/**
 * Writes the tensors of one message and enforces the 2 GiB limit of protocol buffers. Not
 * thread-safe.
 */
public final class TensorMessageWriter {
  /** The limit, less room for names and shapes. */
  private static final long MAX_BYTES = Integer.MAX_VALUE - (1L << 20);

  private final String message;
  private final long maxBytes;
  private long bytes;

  /**
   * @param message what the message is, for error messages
   */
  public TensorMessageWriter(String message) {
    this(message, MAX_BYTES);
  }

  TensorMessageWriter(String message, long maxBytes) {
    this.message = message;
    this.maxBytes = maxBytes;
  }

  /**
   * {@code tensor} as a field of the message; RESOURCE_EXHAUSTED, naming it, if the message gets
   * too long.
   */
  public TensorProto write(String name, Tensor tensor) {
    bytes += tensor.byteSize();
    if (bytes > maxBytes) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "%s, %s, takes %d bytes: with it %s take %d, and a message holds no more than %d",
          name,
          tensor.typeAndShape(),
          tensor.byteSize(),
          message,
          bytes,
          maxBytes);
    }
    return TensorProtos.write(tensor);
  }

  /** {@code tensor} with its name, as {@link #write}. */
  public NamedTensorProto named(String name, Tensor tensor) {
    return NamedTensorProto.newBuilder().setName(name).setTensor(write(name, tensor)).build();
  }
}

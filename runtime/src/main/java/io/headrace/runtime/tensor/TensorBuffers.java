package io.headrace.runtime.tensor;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.headrace.runtime.status.StatusException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;

/** Copies the values of tensors into buffers: {@link Tensor#copyTo}. */
final class TensorBuffers {
  private TensorBuffers() {}

  static ByteBuffer direct(Tensor tensor) {
    checkFixedWidth(tensor);
    ByteBuffer buffer =
        ByteBuffer.allocateDirect(Math.toIntExact(tensor.byteSize()))
            .order(ByteOrder.nativeOrder());
    copy(tensor, buffer);
    return buffer.flip();
  }

  static void copy(Tensor tensor, ByteBuffer target) {
    checkFixedWidth(tensor);
    if (target.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    if (target.remaining() < tensor.byteSize()) {
      throw StatusException.invalidArgument(
          "%s takes %d bytes, and the buffer has room for %d",
          tensor.typeAndShape(), tensor.byteSize(), target.remaining());
    }
    ElementKind kind = tensor.dtype().kind();
    for (Tensor piece : tensor.pieces()) {
      MemorySegment segment = TensorMemory.segment(piece);
      ValueLayout layout = layout(kind).withOrder(target.order());
      if (segment == null) {
        MemorySegment.copy(
            piece.array(),
            piece.offset() * kind.slots(),
            MemorySegment.ofBuffer(target),
            layout,
            0,
            piece.elements() * kind.slots());
      } else {
        MemorySegment.copy(
            segment,
            layout.withOrder(ByteOrder.LITTLE_ENDIAN),
            0,
            MemorySegment.ofBuffer(target),
            layout,
            0,
            (long) piece.elements() * kind.slots());
      }
      target.position(target.position() + (int) piece.byteSize());
    }
  }

  private static void checkFixedWidth(Tensor tensor) {
    if (!tensor.dtype().kind().isFixedWidth()) {
      throw StatusException.invalidArgument(
          "a buffer holds values of one size, and the tensor is %s", tensor.typeAndShape());
    }
  }

  private static ValueLayout layout(ElementKind kind) {
    return switch (kind) {
      case BYTE -> JAVA_BYTE;
      case SHORT -> JAVA_SHORT_UNALIGNED;
      case INT -> JAVA_INT_UNALIGNED;
      case LONG -> JAVA_LONG_UNALIGNED;
      case FLOAT, FLOAT_PAIR -> JAVA_FLOAT_UNALIGNED;
      case DOUBLE, DOUBLE_PAIR -> JAVA_DOUBLE_UNALIGNED;
      case BYTES, REFERENCE -> throw new AssertionError(kind);
    };
  }
}

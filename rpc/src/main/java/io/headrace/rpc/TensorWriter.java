package io.headrace.rpc;

import com.google.protobuf.CodedOutputStream;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.Variant;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Writes tensors to messages in the {@code tensor_content} form. */
public final class TensorWriter {
  /** The length from which a string is a piece of its own, not gathered with its neighbours. */
  private static final int OWN_PIECE_BYTES = 4 << 10;

  private TensorWriter() {}

  /**
   * Appends the elements of {@code tensor}; numbers and large strings are borrowed, not copied.
   *
   * @throws StatusException UNIMPLEMENTED for a resource, FAILED_PRECONDITION for a variant that
   *     can't be serialized
   */
  public static void append(Tensor tensor, OutboundMessage.Builder out) {
    ElementKind kind = tensor.dtype().kind();
    if (!kind.isFixedWidth()) {
      appendEach(tensor, out);
      return;
    }
    int slots = kind.slots();
    for (Tensor piece : TensorMemory.pieces(tensor)) {
      MemorySegment segment = TensorMemory.segment(piece);
      if (segment == null) {
        out.numbers(
            TensorMemory.array(piece),
            TensorMemory.offset(piece) * slots,
            piece.elements() * slots,
            kind.elementBytes() / slots);
      } else {
        out.segment(segment);
      }
    }
  }

  private static void appendEach(Tensor tensor, OutboundMessage.Builder out) {
    byte[][] elements = new byte[tensor.elements()][];
    long lengths = 0;
    for (int i = 0; i < elements.length; i++) {
      elements[i] = element(tensor, i);
      lengths += CodedOutputStream.computeUInt32SizeNoTag(elements[i].length);
    }
    out.bytes(lengths(elements, Math.toIntExact(lengths)));
    for (int i = 0; i < elements.length; ) {
      i = appendSome(elements, i, out);
    }
  }

  private static byte[] lengths(byte[][] elements, int size) {
    byte[] bytes = new byte[size];
    CodedOutputStream to = CodedOutputStream.newInstance(bytes);
    try {
      for (byte[] element : elements) {
        to.writeUInt32NoTag(element.length);
      }
    } catch (IOException e) {
      throw new AssertionError("the size was computed", e);
    }
    return bytes;
  }

  /**
   * Appends one large element, or several small ones gathered into one array.
   *
   * @return the index of the next element
   */
  private static int appendSome(byte[][] elements, int from, OutboundMessage.Builder out) {
    if (elements[from].length >= OWN_PIECE_BYTES) {
      out.bytes(elements[from]);
      return from + 1;
    }
    int to = from;
    int size = 0;
    while (to < elements.length
        && elements[to].length < OWN_PIECE_BYTES
        && size < 8 * OWN_PIECE_BYTES) {
      size += elements[to++].length;
    }
    byte[] gathered = new byte[size];
    int at = 0;
    for (int i = from; i < to; i++) {
      System.arraycopy(elements[i], 0, gathered, at, elements[i].length);
      at += elements[i].length;
    }
    out.bytes(gathered);
    return to;
  }

  private static byte[] element(Tensor tensor, int index) {
    if (tensor.dtype() == DataType.STRING) {
      return tensor.string(index);
    }
    if (tensor.dtype() == DataType.RESOURCE) {
      throw StatusException.unimplemented(
          "an element with a resource can't be sent: a resource belongs to its process");
    }
    if (tensor.reference(index) instanceof Variant variant) {
      return variant.encode().toByteArray();
    }
    throw StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "an element with a variant that holds a %s can't be sent: it belongs to its process",
        tensor.reference(index).getClass().getSimpleName());
  }
}

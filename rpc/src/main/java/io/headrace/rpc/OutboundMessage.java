package io.headrace.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.WireFormat;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorContent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A serialized message that refers to its large parts in their original arrays: they are copied
 * once, into the transport's buffers. Immutable; arrays and memory are borrowed and must not be
 * modified.
 */
public final class OutboundMessage {
  private static final int SCRATCH_BYTES = 32 << 10;

  /** A part of the message. */
  private sealed interface Piece {
    long size();
  }

  private static final class Bytes implements Piece {
    final byte[] array;
    final int from;
    final int length;

    Bytes(byte[] array, int from, int length) {
      this.array = array;
      this.from = from;
      this.length = length;
    }

    @Override
    public long size() {
      return length;
    }
  }

  private record Content(ByteString bytes) implements Piece {
    @Override
    public long size() {
      return bytes.size();
    }
  }

  private record Numbers(Object array, int firstSlot, int slots, int slotBytes) implements Piece {
    @Override
    public long size() {
      return (long) slots * slotBytes;
    }
  }

  /** Bytes outside the Java heap, which stay there while the message is reachable. */
  private record Memory(MemorySegment segment) implements Piece {
    @Override
    public long size() {
      return segment.byteSize();
    }
  }

  private final List<Piece> pieces;
  private final int size;

  private OutboundMessage(List<Piece> pieces, int size) {
    this.pieces = pieces;
    this.size = size;
  }

  /** A message from its serialized form. */
  public static OutboundMessage of(byte[] bytes) {
    return new OutboundMessage(List.of(new Bytes(bytes, 0, bytes.length)), bytes.length);
  }

  /** A message from a protobuf message, which is serialized at once; for small ones. */
  public static OutboundMessage of(MessageLite message) {
    return of(message.toByteArray());
  }

  /** {@code method} for a server that replies with OutboundMessages. */
  public static <Q> MethodDescriptor<Q, OutboundMessage> answering(MethodDescriptor<Q, ?> method) {
    return method.toBuilder(method.getRequestMarshaller(), new ReplyMarshaller()).build();
  }

  /** The size of the message in bytes. */
  public int size() {
    return size;
  }

  /** This message with the fields of {@code more} behind its own, for small ones. */
  public OutboundMessage with(MessageLite more) {
    Builder both = new Builder();
    both.pieces.addAll(pieces);
    both.size = size;
    return both.bytes(more.toByteArray()).build();
  }

  /** A stream of the message, for a single use. */
  public InputStream stream() {
    return new OutboundStream(this);
  }

  void writeTo(OutputStream out) throws IOException {
    byte[] scratch = new byte[scratchBytes()];
    for (Piece piece : pieces) {
      switch (piece) {
        case Bytes bytes -> out.write(bytes.array, bytes.from, bytes.length);
        case Content content -> content.bytes.writeTo(out);
        case Numbers numbers -> write(numbers, out, scratch);
        case Memory memory -> write(memory.segment, out, scratch);
      }
    }
  }

  private int scratchBytes() {
    long largest = 0;
    for (Piece piece : pieces) {
      if (piece instanceof Numbers || piece instanceof Memory) {
        largest = Math.max(largest, piece.size());
      }
    }
    return (int) Math.min(SCRATCH_BYTES, largest);
  }

  private static void write(Numbers numbers, OutputStream out, byte[] scratch) throws IOException {
    MemorySegment buffer = MemorySegment.ofArray(scratch);
    int slotsAtOnce = scratch.length / numbers.slotBytes;
    for (int done = 0; done < numbers.slots; done += slotsAtOnce) {
      int slots = Math.min(slotsAtOnce, numbers.slots - done);
      TensorContent.writeNumbers(numbers.array, numbers.firstSlot + done, slots, buffer, 0);
      out.write(scratch, 0, slots * numbers.slotBytes);
    }
  }

  private static void write(MemorySegment memory, OutputStream out, byte[] scratch)
      throws IOException {
    MemorySegment buffer = MemorySegment.ofArray(scratch);
    for (long done = 0; done < memory.byteSize(); done += scratch.length) {
      int length = (int) Math.min(scratch.length, memory.byteSize() - done);
      MemorySegment.copy(memory, done, buffer, 0, length);
      out.write(scratch, 0, length);
    }
  }

  private static final class ReplyMarshaller implements Marshaller<OutboundMessage> {
    @Override
    public InputStream stream(OutboundMessage message) {
      return message.stream();
    }

    @Override
    public OutboundMessage parse(InputStream stream) {
      throw new UnsupportedOperationException("a server does not read its own answers");
    }
  }

  /** Builds a message from parts. Not thread-safe. */
  public static final class Builder {
    private final List<Piece> pieces = new ArrayList<>();
    private long size;

    /** The size so far in bytes. */
    public long size() {
      return size;
    }

    /** Appends {@code length} of {@code bytes}, starting at {@code from}. */
    public Builder bytes(byte[] bytes, int from, int length) {
      return piece(new Bytes(bytes, from, length));
    }

    /** Appends {@code bytes}. */
    public Builder bytes(byte[] bytes) {
      return bytes(bytes, 0, bytes.length);
    }

    /** Appends {@code bytes}. */
    public Builder bytes(ByteString bytes) {
      return piece(new Content(bytes));
    }

    /** Appends {@code slots} slots of a primitive array, little-endian. */
    public Builder numbers(Object array, int firstSlot, int slots, int slotBytes) {
      return array instanceof byte[] bytes
          ? bytes(bytes, firstSlot, slots)
          : piece(new Numbers(array, firstSlot, slots, slotBytes));
    }

    /** Appends the bytes of memory outside the Java heap, which are borrowed. */
    public Builder segment(MemorySegment memory) {
      return piece(new Memory(memory));
    }

    /** Appends the tag and length of field {@code number}, whose {@code length} bytes follow. */
    public Builder fieldHead(int number, long length) {
      byte[] head =
          new byte
              [CodedOutputStream.computeTagSize(number)
                  + CodedOutputStream.computeUInt64SizeNoTag(length)];
      CodedOutputStream out = CodedOutputStream.newInstance(head);
      try {
        out.writeTag(number, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt64NoTag(length);
      } catch (IOException e) {
        throw new AssertionError("the size was computed", e);
      }
      return bytes(head);
    }

    /** Appends field {@code number} with the content of another builder. */
    public Builder field(int number, Builder content) {
      fieldHead(number, content.size);
      pieces.addAll(content.pieces);
      size += content.size;
      return this;
    }

    /** Appends field {@code number} with {@code bytes}. */
    public Builder field(int number, ByteString bytes) {
      return fieldHead(number, bytes.size()).bytes(bytes);
    }

    /**
     * The message.
     *
     * @throws StatusException RESOURCE_EXHAUSTED if it is larger than gRPC's length prefix allows
     */
    public OutboundMessage build() {
      if (size > Integer.MAX_VALUE) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "a message of %d bytes; %d is the most that gRPC carries",
            size,
            Integer.MAX_VALUE);
      }
      return new OutboundMessage(List.copyOf(pieces), (int) size);
    }

    private Builder piece(Piece piece) {
      if (piece.size() > 0) {
        pieces.add(piece);
        size += piece.size();
      }
      return this;
    }
  }
}

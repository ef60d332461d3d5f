package io.headrace.rpc;

import io.grpc.HasByteBuffer;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorContent;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over an inbound message, which reads straight from the transport's buffers if the
 * transport exposes them. All methods fail with DATA_LOSS if the message is too short. Not
 * thread-safe.
 */
final class InboundMessage {
  private static final int COPY_BYTES = 32 << 10;
  private static final int MAX_VARINT_BYTES = 10;
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  private final InputStream in;
  private final @Nullable HasByteBuffer buffers;
  private ByteBuffer current = EMPTY;
  private int lentBytes;
  private long remaining;

  private InboundMessage(InputStream in, @Nullable HasByteBuffer buffers, long size) {
    this.in = in;
    this.buffers = buffers;
    this.remaining = size;
  }

  /** The message in {@code in}, the stream that gRPC passes to a marshaller. */
  static InboundMessage of(InputStream in) throws IOException {
    HasByteBuffer buffers = in instanceof HasByteBuffer b && b.byteBufferSupported() ? b : null;
    return new InboundMessage(in, buffers, in.available());
  }

  /** Bytes not yet read. */
  long remaining() {
    return remaining;
  }

  byte readByte() throws IOException {
    take(1);
    return buffer().get();
  }

  /** A varint of up to 64 bits. */
  long readVarint() throws IOException {
    long value = 0;
    for (int i = 0; i < MAX_VARINT_BYTES; i++) {
      byte b = readByte();
      value |= (long) (b & 0x7f) << (7 * i);
      if (b >= 0) {
        return value;
      }
    }
    throw new StatusException(StatusCode.DATA_LOSS, "a varint of more than ten bytes");
  }

  /** The next {@code length} bytes, checked against what remains before they are allocated. */
  byte[] readBytes(long length) throws IOException {
    if (length < 0 || length > remaining) {
      throw tooShort(length);
    }
    byte[] bytes = new byte[(int) length];
    readNumbers(bytes, 1);
    return bytes;
  }

  /** Fills a primitive array, whose slots have {@code slotBytes} bytes each. */
  void readNumbers(Object array, int slotBytes) throws IOException {
    readNumbers(array, 0, Array.getLength(array), slotBytes);
  }

  /** Fills {@code slots} slots of a primitive array, from slot {@code first} on. */
  void readNumbers(Object array, int first, int slots, int slotBytes) throws IOException {
    take((long) slots * slotBytes);
    int end = first + slots;
    for (int done = first; done < end; ) {
      ByteBuffer from = buffer();
      int whole = Math.min(end - done, from.remaining() / slotBytes);
      if (whole == 0) {
        TensorContent.readNumbers(straddling(slotBytes), 0, array, done, 1);
        done++;
      } else {
        TensorContent.readNumbers(MemorySegment.ofBuffer(from), 0, array, done, whole);
        from.position(from.position() + whole * slotBytes);
        done += whole;
      }
    }
  }

  /** Skips {@code length} bytes. */
  void skip(long length) throws IOException {
    take(length);
    for (long left = length; left > 0; ) {
      ByteBuffer from = buffer();
      int now = (int) Math.min(left, from.remaining());
      from.position(from.position() + now);
      left -= now;
    }
  }

  /** The bytes of a number that straddles the transport's buffers. */
  private MemorySegment straddling(int slotBytes) throws IOException {
    byte[] bytes = new byte[slotBytes];
    for (int i = 0; i < slotBytes; i++) {
      bytes[i] = buffer().get();
    }
    return MemorySegment.ofArray(bytes);
  }

  private void take(long length) {
    if (length < 0 || length > remaining) {
      throw tooShort(length);
    }
    remaining -= length;
  }

  private StatusException tooShort(long length) {
    return StatusException.of(
        StatusCode.DATA_LOSS, "a message says that %d bytes follow, and %d do", length, remaining);
  }

  /** The buffer that holds the next byte. */
  private ByteBuffer buffer() throws IOException {
    while (!current.hasRemaining()) {
      current = next();
    }
    return current;
  }

  private ByteBuffer next() throws IOException {
    if (buffers == null) {
      byte[] copy = new byte[COPY_BYTES];
      int length = in.read(copy, 0, copy.length);
      if (length < 0) {
        throw tooShort(1);
      }
      return ByteBuffer.wrap(copy, 0, length);
    }
    in.skipNBytes(lentBytes);
    ByteBuffer next = buffers.getByteBuffer();
    if (next == null) {
      throw tooShort(1);
    }
    lentBytes = next.remaining();
    return next;
  }
}

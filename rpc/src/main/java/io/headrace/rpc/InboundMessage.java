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
 * A message being read, straight out of the transport's buffers where it lets us. Every method
 * fails with DATA_LOSS where the message ends too soon. Not thread-safe.
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

  /** The message that {@code in}, as gRPC hands it to a marshaller, holds. */
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
      throw endsTooSoon(length);
    }
    byte[] bytes = new byte[(int) length];
    readNumbers(bytes, 1);
    return bytes;
  }

  /** Fills an array of numbers of {@code slotBytes} each. */
  void readNumbers(Object array, int slotBytes) throws IOException {
    readNumbers(array, 0, Array.getLength(array), slotBytes);
  }

  /** Fills {@code slots} of its slots, from slot {@code first}. */
  void readNumbers(Object array, int first, int slots, int slotBytes) throws IOException {
    take((long) slots * slotBytes);
    int end = first + slots;
    for (int done = first; done < end; ) {
      ByteBuffer from = buffer();
      int whole = Math.min(end - done, from.remaining() / slotBytes);
      if (whole == 0) {
        TensorContent.readNumbers(across(slotBytes), 0, array, done, 1);
        done++;
      } else {
        TensorContent.readNumbers(MemorySegment.ofBuffer(from), 0, array, done, whole);
        from.position(from.position() + whole * slotBytes);
        done += whole;
      }
    }
  }

  /** Passes over {@code length} bytes. */
  void skip(long length) throws IOException {
    take(length);
    for (long left = length; left > 0; ) {
      ByteBuffer from = buffer();
      int now = (int) Math.min(left, from.remaining());
      from.position(from.position() + now);
      left -= now;
    }
  }

  /** A number that lies across the transport's buffers. */
  private MemorySegment across(int slotBytes) throws IOException {
    byte[] bytes = new byte[slotBytes];
    for (int i = 0; i < slotBytes; i++) {
      bytes[i] = buffer().get();
    }
    return MemorySegment.ofArray(bytes);
  }

  private void take(long length) {
    if (length < 0 || length > remaining) {
      throw endsTooSoon(length);
    }
    remaining -= length;
  }

  private StatusException endsTooSoon(long length) {
    return StatusException.of(
        StatusCode.DATA_LOSS, "a message says that %d bytes follow, and %d do", length, remaining);
  }

  /** The buffer that the next byte lies in. */
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
        throw endsTooSoon(1);
      }
      return ByteBuffer.wrap(copy, 0, length);
    }
    in.skipNBytes(lentBytes);
    ByteBuffer next = buffers.getByteBuffer();
    if (next == null) {
      throw endsTooSoon(1);
    }
    lentBytes = next.remaining();
    return next;
  }
}

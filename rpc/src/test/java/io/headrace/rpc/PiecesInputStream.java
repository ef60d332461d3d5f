package io.headrace.rpc;

import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A message as the netty transport delivers it: in buffers of limited size. */
final class PiecesInputStream extends ByteArrayInputStream implements HasByteBuffer, KnownLength {
  private final int pieceBytes;

  PiecesInputStream(byte[] message, int pieceBytes) {
    super(message);
    this.pieceBytes = pieceBytes;
  }

  @Override
  public boolean byteBufferSupported() {
    return true;
  }

  @Override
  public @Nullable ByteBuffer getByteBuffer() {
    if (pos == count) {
      return null;
    }
    int pieceEnd = Math.min(count, (pos / pieceBytes + 1) * pieceBytes);
    return ByteBuffer.wrap(buf, pos, pieceEnd - pos).slice().asReadOnlyBuffer();
  }
}

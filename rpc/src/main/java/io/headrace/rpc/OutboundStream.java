package io.headrace.rpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The stream of an {@link OutboundMessage} for gRPC: drained into the transport's buffers in one
 * go, or, for a transport that does not drain, read from a copy.
 */
final class OutboundStream extends InputStream implements Drainable, KnownLength {
  private final OutboundMessage message;
  private @Nullable InputStream copy;
  private boolean drained;

  OutboundStream(OutboundMessage message) {
    this.message = message;
  }

  @Override
  public int drainTo(OutputStream target) throws IOException {
    if (copy != null) {
      return (int) copy.transferTo(target);
    }
    if (drained) {
      return 0;
    }
    drained = true;
    message.writeTo(target);
    return message.size();
  }

  @Override
  public int available() throws IOException {
    if (copy != null) {
      return copy.available();
    }
    return drained ? 0 : message.size();
  }

  @Override
  public int read() throws IOException {
    return copy().read();
  }

  @Override
  public int read(byte[] to, int from, int length) throws IOException {
    return copy().read(to, from, length);
  }

  private InputStream copy() throws IOException {
    if (copy == null) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(message.size());
      drainTo(bytes);
      copy = new ByteArrayInputStream(bytes.toByteArray());
    }
    return copy;
  }
}

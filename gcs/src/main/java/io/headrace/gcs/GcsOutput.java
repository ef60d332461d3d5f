package io.headrace.gcs;

import com.google.cloud.WriteChannel;
import com.google.cloud.storage.StorageException;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Writes an object, which appears, whole, when the stream is closed; a stream that is never closed
 * leaves none. Holds {@link #BUFFER_BYTES}. Used by one thread.
 */
final class GcsOutput extends OutputStream {
  /** A multiple of 256 KiB, as the service demands. */
  private static final int BUFFER_BYTES = 4 << 20;

  private final String file;
  private final WriteChannel channel;
  private boolean isClosed;

  GcsOutput(String file, WriteChannel channel) {
    this.file = file;
    this.channel = channel;
    channel.setChunkSize(BUFFER_BYTES);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    if (isClosed) {
      throw new IOException(file + " is closed");
    }
    try {
      ByteBuffer left = ByteBuffer.wrap(bytes, from, count);
      while (left.hasRemaining()) {
        channel.write(left);
      }
    } catch (IOException | StorageException e) {
      throw GcsErrors.streamFailure(GcsErrors.failure(file, e));
    }
  }

  @Override
  public void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      channel.close();
    } catch (IOException | StorageException e) {
      StatusException failure = GcsErrors.failure(file, e);
      throw GcsErrors.streamFailure(failure);
    }
  }
}

package io.headrace.gcs;

import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Reads an object from its beginning to its end, in blocks that grow; the next block is fetched
 * while one is read. It holds two blocks of {@link #MAX_BLOCK_BYTES} at most. Used by one thread,
 * except {@link #close}, which ends a read that waits.
 */
final class GcsInput extends InputStream {
  /** Small, as a reader may want no more than the beginning. */
  private static final int FIRST_BLOCK_BYTES = 256 << 10;

  private static final int MAX_BLOCK_BYTES = 4 << 20;

  private final GcsRanges ranges;
  private final ExecutorService threads;
  private byte[] block = {};
  private int position;

  /** The offset behind the last block that was asked for, and the size of the next one. */
  private long askedTo;

  private int nextBytes = FIRST_BLOCK_BYTES;

  private volatile @Nullable Future<byte[]> next;
  private volatile boolean isClosed;

  GcsInput(GcsRanges ranges, ExecutorService threads) {
    this.ranges = ranges;
    this.threads = threads;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, into.length);
    if (count == 0) {
      return 0;
    }
    if (position == block.length && !fetch()) {
      return -1;
    }
    int copied = Math.min(count, block.length - position);
    System.arraycopy(block, position, into, from, copied);
    position += copied;
    return copied;
  }

  @Override
  public int available() {
    return block.length - position;
  }

  /** Moves on to the next block; returns false at the end. */
  private boolean fetch() throws IOException {
    if (next == null) {
      next = ask();
    }
    @Nullable Future<byte[]> awaited = next;
    if (awaited == null) {
      return false;
    }
    if (isClosed) {
      awaited.cancel(true);
    }
    try {
      block = awaited.get();
      position = 0;
    } catch (ExecutionException e) {
      next = null;
      if (e.getCause() instanceof StatusException status) {
        throw GcsErrors.streamFailure(status);
      }
      throw new IOException(e.getCause());
    } catch (CancellationException e) {
      throw new IOException(ranges.file() + " is closed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the read of " + ranges.file() + " was interrupted", e);
    }
    next = ask();
    if (isClosed) {
      close(); // the first one may have missed this request
    }
    return true;
  }

  /** Asks for the next block; null behind the end. */
  private @Nullable Future<byte[]> ask() {
    int count = (int) Math.min(nextBytes, ranges.size() - askedTo);
    if (count <= 0) {
      return null;
    }
    long from = askedTo;
    askedTo += count;
    nextBytes = Math.min(2 * nextBytes, MAX_BLOCK_BYTES);
    return threads.submit(() -> ranges.read(from, count));
  }

  @Override
  public void close() {
    isClosed = true;
    @Nullable Future<byte[]> asked = next;
    if (asked != null) {
      asked.cancel(true);
    }
  }
}

package io.headrace.dataset;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a dataset that gives whole chunks: the fastest way to read, for whoever can use
 * columns. Used by one thread at a time; {@link #close} may be called from another.
 */
public interface ChunkReader extends AutoCloseable {
  /**
   * The next elements, at least one, or null at the end. An error belongs to its element: those
   * before it come first, and the call after it goes on behind it.
   */
  @Nullable Chunk next();

  /**
   * Waits as long as the rows of chunks that {@link #next} has returned may not be used: whoever
   * uses them one after the other asks before each.
   *
   * @throws StatusException what the pass fails with meanwhile; CANCELLED once it is closed
   */
  default void awaitDelivery() {}

  /**
   * How far the pass was taken, counting all that {@link #next} returned but for the last {@code
   * untaken} rows of the last chunk.
   *
   * @throws StatusException FAILED_PRECONDITION, saying why, if this pass can't be resumed
   */
  default Checkpoint checkpoint(int untaken) {
    throw new StatusException(StatusCode.FAILED_PRECONDITION, "this pass can't be resumed");
  }

  /**
   * Nothing more is taken of the last chunk, of whose rows the last {@code untaken} were not; to be
   * said before {@link #close}, or it counts as if none of them was. Without effect after it.
   */
  default void leave(int untaken) {}

  /** Ends the pass and frees what it holds. Idempotent. */
  @Override
  void close();
}

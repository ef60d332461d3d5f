package io.headrace.dataset;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a dataset, read in whole chunks: the fastest way to read for code that works on
 * columns. Used by one thread at a time; {@link #close} may be called from another.
 */
public interface ChunkReader extends AutoCloseable {
  /**
   * The next elements, at least one, or null at the end. An error belongs to its element: the
   * elements before it are returned first, and the call after the one that throws continues behind
   * it.
   */
  @Nullable Chunk next();

  /**
   * Blocks while rows of chunks that {@link #next} returned must not be used yet. A caller that
   * uses rows one by one calls it before each row.
   *
   * @throws StatusException the pass's failure, if it fails meanwhile; CANCELLED once it is closed
   */
  default void awaitDelivery() {}

  /**
   * The progress of this pass: all rows that {@link #next} returned, except the last {@code
   * untaken} rows of the last chunk.
   *
   * @throws StatusException FAILED_PRECONDITION, with the reason, if this pass can't be resumed
   */
  default Checkpoint checkpoint(int untaken) {
    throw new StatusException(StatusCode.FAILED_PRECONDITION, "this pass can't be resumed");
  }

  /**
   * How many elements failed so far and were left out by {@link Dataset#ignoreErrors}, of those
   * that were made for the rows that {@link #next} returned or will return. For any thread.
   */
  default long errorsIgnored() {
    return 0;
  }

  /**
   * Declares that the last {@code untaken} rows of the last chunk were not used. Must be called
   * before {@link #close}; otherwise none of the last chunk's rows count as used. No effect after
   * {@link #close}.
   */
  default void leave(int untaken) {}

  /**
   * Whether workers of a service make elements for the pass: until it is closed they hold these for
   * it, and keep them from other readers.
   */
  default boolean readsFromWorkers() {
    return false;
  }

  /** How many elements the pass has, as {@link Dataset#cardinality}; -2 if that is unknown. */
  default long cardinality() {
    return DatasetValue.UNKNOWN;
  }

  /** Ends the pass and frees what it holds. Idempotent. */
  @Override
  void close();
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.time.Ticker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls a function for the rows of a chunk, piece by piece: a piece takes about half a millisecond,
 * so that results can be taken while slow rows are computed. The origins of a failed row are
 * reported by the next row. Used by one thread at a time.
 */
public final class RowMapper {
  private static final long PIECE_BYTES = 1 << 20;

  private final RowFunction function;
  private final Ticker ticker;
  private final ChunkPacer pacer = new ChunkPacer(PIECE_BYTES);
  private final RowCursor rows = new RowCursor();
  private final DroppedOrigins dropped = new DroppedOrigins();
  private long lastCallNanos;
  private @Nullable Chunk source;
  private @Nullable StatusException failure;

  public RowMapper(RowFunction function, Ticker ticker) {
    this.function = function;
    this.ticker = ticker;
  }

  /** Sets the next chunk; all rows of the previous one must be done. */
  public void accept(Chunk chunk) {
    rows.refill(chunk);
  }

  /** Whether the result or failure of every row was returned. */
  public boolean isDone() {
    return rows.isEmpty() && failure == null;
  }

  /** Drops the remaining rows. */
  public void clear() {
    if (!rows.isEmpty()) {
      dropped.add(rows.chunk().origins(), rows.at(), rows.chunk().rows());
    }
    rows.clear();
    failure = null;
  }

  /** The number of rows in the next piece. */
  public int pace() {
    return pacer.rows();
  }

  /**
   * The results of the next rows, at most {@code maxRows}; throws the failure of the next row.
   * Requires that {@link #isDone} is false.
   */
  public Chunk next(int maxRows) {
    throwFailure();
    Chunk piece = rows.peek(Math.min(Math.min(maxRows, pacer.rows()), rows.left()));
    long start = ticker.nanoTime();
    RowsResult result = callOrDrop(piece);
    long nanos = ticker.nanoTime() - start;
    lastCallNanos = nanos;
    source = piece;
    failure = result.failure() == null ? null : inContext(result.failure(), piece, result.rows());
    rows.drop(failure == null ? result.rows() : result.rows() + 1);
    if (result.rows() == 0) {
      dropped.add(piece.origins(), 0, 1);
      pacer.took(1, nanos, 0);
      throwFailure();
      throw new IllegalStateException(function.name() + " did no row and did not fail");
    }
    Chunk results = dropped.joinTo(piece.slice(0, result.rows()).withColumns(result.columns()));
    if (failure != null) {
      dropped.add(piece.origins(), result.rows(), result.rows() + 1);
    }
    pacer.took(results.rows(), nanos, results.byteSize());
    return results;
  }

  /**
   * OUT_OF_RANGE, which stands for the end of a sequence, becomes an error of the row; any other
   * failure says where the function was called, and with which row.
   */
  private StatusException inContext(StatusException failure, Chunk piece, int row) {
    return failure.code() == StatusCode.OUT_OF_RANGE
        ? new StatusException(
            StatusCode.INVALID_ARGUMENT,
            "Function invocation produced OutOfRangeError: " + failure.message(),
            failure)
        : function.inContext(failure, piece, row);
  }

  /** A call that throws before it runs, as after a cancellation, consumes its first row. */
  private RowsResult callOrDrop(Chunk piece) {
    try {
      return call(piece);
    } catch (StatusException e) {
      rows.drop(1);
      dropped.add(piece.origins(), 0, 1);
      throw inContext(e, piece, 0);
    }
  }

  /** Calls the function; a bug in a kernel becomes the failure of its row. */
  private RowsResult call(Chunk piece) {
    try {
      return function.callRows(piece);
    } catch (StatusException e) {
      throw e;
    } catch (RuntimeException e) {
      if (piece.rows() > 1) {
        return call(piece.slice(0, 1));
      }
      return new RowsResult(
          0,
          List.of(),
          new StatusException(StatusCode.INTERNAL, "function " + function.name() + ": " + e, e));
    }
  }

  /** The origins of failed rows that no later row reports. */
  public Origins takeDropped() {
    return dropped.take();
  }

  /** The duration of the function's last call in {@link #next}. */
  public long lastCallNanos() {
    return lastCallNanos;
  }

  /**
   * The rows whose results {@link #next} returned last: as many from the first on as it returned.
   */
  public Chunk source() {
    if (source == null) {
      throw new IllegalStateException("no row was done");
    }
    return source;
  }

  private void throwFailure() {
    if (failure != null) {
      StatusException thrown = failure;
      failure = null;
      throw thrown;
    }
  }
}

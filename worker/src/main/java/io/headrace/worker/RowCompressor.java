package io.headrace.worker;

import io.headrace.rpc.OutboundMessage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compresses the rows of one task for GetElement. Large rows are compressed off the transport's
 * threads, and one row ahead, while the client handles the previous one. Thread-safe.
 */
final class RowCompressor {
  /**
   * Rows below this size are compressed in place: handing them to another thread would take longer.
   */
  private static final long SMALL_BYTES = 16 << 10;

  private final Executor threads;
  private @Nullable Ahead ahead;

  RowCompressor(Executor threads) {
    this.threads = threads;
  }

  /** A row that is compressed ahead of its request. */
  private record Ahead(TakeResult.Row row, CompletableFuture<OutboundMessage> response) {}

  /**
   * The reply with {@code row} compressed.
   *
   * @param next supplies the row after it, or null if none is ready
   */
  CompletableFuture<OutboundMessage> compress(
      TakeResult.Row row, Supplier<TakeResult.@Nullable Row> next) {
    if (row.bytes() < SMALL_BYTES) {
      return CompletableFuture.completedFuture(GetElementResponses.compressed(row));
    }
    CompletableFuture<OutboundMessage> response = takeAhead(row);
    TakeResult.@Nullable Row following = next.get();
    if (following != null && following.bytes() >= SMALL_BYTES) {
      prepare(following);
    }
    return response;
  }

  private synchronized CompletableFuture<OutboundMessage> takeAhead(TakeResult.Row row) {
    @Nullable Ahead prepared = ahead;
    if (prepared == null || prepared.row.position() != row.position()) {
      return begin(row);
    }
    ahead = null;
    return prepared.response;
  }

  private synchronized void prepare(TakeResult.Row row) {
    if (ahead == null || ahead.row.position() != row.position()) {
      ahead = new Ahead(row, begin(row));
    }
  }

  private CompletableFuture<OutboundMessage> begin(TakeResult.Row row) {
    return CompletableFuture.supplyAsync(() -> GetElementResponses.compressed(row), threads);
  }
}

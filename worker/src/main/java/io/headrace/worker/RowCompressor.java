package io.headrace.worker;

import io.headrace.rpc.OutboundMessage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compresses the rows of one task for requests of one row each. Large rows are compressed beside
 * the transport's threads, and the next one while its client is at the one before. Thread-safe.
 */
final class RowCompressor {
  /** Compressing less takes no longer than handing it to another thread. */
  private static final long SMALL_BYTES = 16 << 10;

  private final Executor threads;
  private @Nullable Ahead ahead;

  RowCompressor(Executor threads) {
    this.threads = threads;
  }

  /** A row that nobody has asked for yet. */
  private record Ahead(Taken.Row row, CompletableFuture<OutboundMessage> response) {}

  /**
   * The answer that {@code row} is, compressed.
   *
   * @param next gives the row behind it, as far as there is one
   */
  CompletableFuture<OutboundMessage> compress(Taken.Row row, Supplier<Taken.@Nullable Row> next) {
    if (row.bytes() < SMALL_BYTES) {
      return CompletableFuture.completedFuture(RowResponses.compressed(row));
    }
    CompletableFuture<OutboundMessage> response = takeAhead(row);
    Taken.@Nullable Row following = next.get();
    if (following != null && following.bytes() >= SMALL_BYTES) {
      prepare(following);
    }
    return response;
  }

  private synchronized CompletableFuture<OutboundMessage> takeAhead(Taken.Row row) {
    @Nullable Ahead prepared = ahead;
    if (prepared == null || prepared.row.position() != row.position()) {
      return begin(row);
    }
    ahead = null;
    return prepared.response;
  }

  private synchronized void prepare(Taken.Row row) {
    if (ahead == null || ahead.row.position() != row.position()) {
      ahead = new Ahead(row, begin(row));
    }
  }

  private CompletableFuture<OutboundMessage> begin(Taken.Row row) {
    return CompletableFuture.supplyAsync(() -> RowResponses.compressed(row), threads);
  }
}

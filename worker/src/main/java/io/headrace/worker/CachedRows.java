package io.headrace.worker;

import io.headrace.kernels.variant.CompressedElements;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.rpc.OutboundMessage;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive rows in a {@link CrossTrainerCache}, in one of two forms: a chunk, or the compressed
 * reply of a single row. Guarded by the cache's lock.
 */
final class CachedRows {
  /** About what the objects of an entry take beside its data. */
  static final long ENTRY_BYTES = 256;

  /** About what the objects of a row's own tensor take beside its data. */
  private static final long TENSOR_BYTES = 64;

  private final long position;
  private final int rows;
  private @Nullable Chunk chunk;
  private @Nullable CompletableFuture<OutboundMessage> reply;
  private @Nullable OutboundMessage kept;
  private long bytes;
  private boolean dropped;

  CachedRows(Chunk chunk) {
    this.position = chunk.position();
    this.rows = chunk.rows();
    this.chunk = chunk;
    this.bytes = byteSize(chunk);
  }

  /** The bytes that an entry of {@code chunk} takes. */
  static long byteSize(Chunk chunk) {
    long total = ENTRY_BYTES + chunk.byteSize();
    for (Column column : chunk.columns()) {
      if (column instanceof Column.Listed listed) {
        total += listed.rows() * TENSOR_BYTES;
      }
    }
    return total;
  }

  /** The position of the first row. */
  long position() {
    return position;
  }

  /** The position behind the last row. */
  long end() {
    return position + rows;
  }

  long bytes() {
    return bytes;
  }

  boolean isSingle() {
    return rows == 1;
  }

  /** The reply to be shared by all readers of a single row; null if nobody makes it yet. */
  @Nullable CompletableFuture<OutboundMessage> reply() {
    return reply;
  }

  /** Someone makes the reply of this single row. */
  CompletableFuture<OutboundMessage> makesReply() {
    CompletableFuture<OutboundMessage> making = new CompletableFuture<>();
    reply = making;
    return making;
  }

  /** The bytes that the entry takes more, or less, with {@code made} in the place of its chunk. */
  long growth(OutboundMessage made) {
    return ENTRY_BYTES + made.size() - bytes;
  }

  /** Replaces the chunk by the reply that was made of it. */
  void replace(OutboundMessage made) {
    bytes += growth(made);
    kept = made;
    chunk = null;
  }

  /** The rows have left the window. */
  void drop() {
    dropped = true;
  }

  boolean isDropped() {
    return dropped;
  }

  /** The row at {@code at}, which is kept as a chunk. */
  TakeResult.Row row(long at) {
    Chunk from = Objects.requireNonNull(chunk);
    return new TakeResult.Row(from, (int) (at - position), from.byteSize() / rows);
  }

  /** The rows from {@code at} on, as they are now. */
  Part from(long at) {
    return new Part(at, chunk == null ? null : chunk.slice((int) (at - position), rows), kept);
  }

  /**
   * Rows in the form in which they were kept when they were taken.
   *
   * @param position the position of the first
   * @param chunk the rows, or null
   * @param reply the compressed reply of a single row, or null
   */
  record Part(long position, @Nullable Chunk chunk, @Nullable OutboundMessage reply) {
    /** The rows as a chunk; uncompresses a reply. */
    Chunk toChunk() {
      return chunk == null ? uncompressed().withPosition(position) : chunk;
    }

    private Chunk uncompressed() {
      try {
        var response = GetElementResponse.parseFrom(Objects.requireNonNull(reply).stream());
        return Chunk.ofElement(CompressedElements.uncompress(response.getCompressed()));
      } catch (IOException e) {
        throw new StatusException(StatusCode.INTERNAL, "a cached reply can't be read", e);
      }
    }
  }
}

package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * An item in a {@link RowQueue}: a chunk, whose first rows may be taken already, or a substitute
 * for a row. Guarded by the queue's lock.
 */
final class QueuedItem {
  private final StreamItem item;
  private final long bytesPerRow;
  private int from;

  QueuedItem(StreamItem item) {
    this.item = item;
    this.bytesPerRow =
        item instanceof StreamItem.Rows rows ? rows.chunk().byteSize() / rows.rows() : 0;
  }

  /** The position of the first remaining row. */
  long position() {
    return item.position() + from;
  }

  int rows() {
    return item.rows() - from;
  }

  long bytes() {
    return rows() * bytesPerRow;
  }

  long bytesPerRow() {
    return bytesPerRow;
  }

  /** The error in place of a row; null if this is no error. */
  @Nullable StatusException failure() {
    return item instanceof StreamItem.RowFailure failed ? failed.failure() : null;
  }

  /** Whether this is a chunk, not a substitute for a row. */
  boolean isRows() {
    return item instanceof StreamItem.Rows;
  }

  /** Whether this stands for records that yielded no row. */
  boolean isDropped() {
    return item instanceof StreamItem.Dropped;
  }

  /** The whole chunk. Only if {@link #isRows}. */
  Chunk chunk() {
    return ((StreamItem.Rows) item).chunk();
  }

  /** The first remaining row. Only if {@link #isRows}. */
  TakeResult.Row row() {
    return new TakeResult.Row(chunk(), from, bytesPerRow);
  }

  /** The origins of remaining rows; those of an error's row come with a later one. */
  Origins origins(int begin, int end) {
    return switch (item) {
      case StreamItem.Rows(Chunk chunk) -> chunk.origins().slice(from + begin, from + end);
      case StreamItem.Dropped(long _, Origins origins) -> origins;
      case StreamItem.RowFailure _, StreamItem.End _ -> Origins.NONE;
    };
  }

  void drop(int rows) {
    from += rows;
  }

  /** The first {@code rows} remaining rows, or the substitute. */
  StreamItem head(int rows) {
    return item instanceof StreamItem.Rows all
        ? new StreamItem.Rows(all.chunk().slice(from, from + rows))
        : item;
  }
}

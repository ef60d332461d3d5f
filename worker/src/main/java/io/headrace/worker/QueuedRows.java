package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * An item that waits in a {@link RowQueue}: a chunk of which the first rows may be gone, or what
 * stands in the place of a row. Its queue's lock guards it.
 */
final class QueuedRows {
  private final StreamItem item;
  private final long bytesPerRow;
  private int from;

  QueuedRows(StreamItem item) {
    this.item = item;
    this.bytesPerRow =
        item instanceof StreamItem.Rows rows ? rows.chunk().byteSize() / rows.rows() : 0;
  }

  /** The position of the first row that is left. */
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

  /** The error that it is, or null. */
  @Nullable StatusException failure() {
    return item instanceof StreamItem.RowFailure failed ? failed.failure() : null;
  }

  /** Whether it is rows, and nothing in the place of one. */
  boolean isRows() {
    return item instanceof StreamItem.Rows;
  }

  /** Whether it stands for records that no row was made of. */
  boolean isDropped() {
    return item instanceof StreamItem.Dropped;
  }

  /** The chunk that the rows lie in. For rows only. */
  Chunk chunk() {
    return ((StreamItem.Rows) item).chunk();
  }

  /** The first row that is left. For rows only. */
  Taken.Row row() {
    return new Taken.Row(chunk(), from, bytesPerRow);
  }

  void drop(int rows) {
    from += rows;
  }

  /** The first {@code rows} of what is left. */
  StreamItem head(int rows) {
    return item instanceof StreamItem.Rows all
        ? new StreamItem.Rows(all.chunk().slice(from, from + rows))
        : item;
  }
}

package io.headrace.dataset.execute;

import io.headrace.runtime.tensor.Chunk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a whole pass, once one was read to its end. Thread-safe. */
final class MemoryCache {
  private volatile @Nullable List<Chunk> rows;

  /** The rows, or null if no pass was read to its end yet. */
  @Nullable List<Chunk> rows() {
    return rows;
  }

  /** Keeps the rows of a pass that was read to its end. */
  void complete(List<Chunk> chunks) {
    rows = List.copyOf(chunks);
  }
}

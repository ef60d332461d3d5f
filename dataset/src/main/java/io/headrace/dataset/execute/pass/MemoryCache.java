package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.Chunk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of the first pass that was read to its end. Thread-safe. */
public final class MemoryCache {
  private volatile @Nullable List<Chunk> rows;

  /** The rows, or null if no pass was read to its end yet. */
  @Nullable
  public List<Chunk> rows() {
    return rows;
  }

  /** Keeps {@code chunks} if no earlier pass was read to its end; returns whether it kept them. */
  public synchronized boolean complete(List<Chunk> chunks) {
    if (rows != null) {
      return false;
    }
    rows = List.copyOf(chunks);
    return true;
  }
}

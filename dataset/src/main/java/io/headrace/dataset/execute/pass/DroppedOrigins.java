package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * Collects the origins of dropped rows until the next row reports them. Not thread-safe.
 *
 * <p>Without origins it stays empty and its methods do nothing.
 */
public final class DroppedOrigins {
  private Origins.@Nullable Builder parts;

  /** Records that all rows of {@code origins} were dropped. */
  public void add(Origins origins) {
    if (!origins.isEmpty()) {
      parts().addAllParts(origins);
    }
  }

  /**
   * Records that the rows {@code from} up to, excluding, {@code to} of {@code origins} were
   * dropped.
   */
  public void add(Origins origins, int from, int to) {
    if (!origins.isEmpty() && from < to) {
      parts().addParts(origins, from, to);
    }
  }

  /** Records that a group ended after {@code records} records. */
  void addGroupEnd(long source, long group, long records) {
    parts().addGroupEnd(source, group, records);
  }

  private Origins.Builder parts() {
    Origins.Builder found = parts;
    if (found == null) {
      found = new Origins.Builder();
      parts = found;
    }
    return found;
  }

  /** Attaches the collected origins to the first row of {@code chunk}, if its rows have origins. */
  public Chunk joinTo(Chunk chunk) {
    Origins.Builder before = parts;
    if (before == null || chunk.origins().isEmpty()) {
      return chunk;
    }
    parts = null;
    return chunk.withOrigins(before.addAll(chunk.origins()).build());
  }

  /** Returns and clears the collected origins. */
  public Origins take() {
    Origins.Builder before = parts;
    parts = null;
    return before == null ? Origins.NONE : before.build();
  }

  /**
   * Returns and clears the collected origins and the {@link ChunkIterator#rest} of {@code input}.
   */
  public Origins takeWithRestOf(ChunkIterator input) {
    add(input.rest());
    return take();
  }
}

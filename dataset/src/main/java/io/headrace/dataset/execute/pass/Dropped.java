package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * The origins of what a pass dropped, until the next row tells of it. Not thread-safe.
 *
 * <p>Where rows have no origins there is nothing in it, and its methods do nothing.
 */
public final class Dropped {
  private Origins.@Nullable Builder parts;

  /** All that {@code origins} tell of was dropped. */
  public void add(Origins origins) {
    if (!origins.isEmpty()) {
      parts().addAllParts(origins);
    }
  }

  /** The rows {@code from} up to {@code to} of {@code origins} were dropped. */
  public void add(Origins origins, int from, int to) {
    if (!origins.isEmpty() && from < to) {
      parts().addParts(origins, from, to);
    }
  }

  /** A group was found to have {@code records} records in all. */
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

  /** {@code chunk}, whose first row tells of what was dropped, if its rows have origins. */
  public Chunk joinTo(Chunk chunk) {
    Origins.Builder before = parts;
    if (before == null || chunk.origins().isEmpty()) {
      return chunk;
    }
    parts = null;
    return chunk.withOrigins(before.addAll(chunk.origins()).build());
  }

  /** What was dropped and is not told yet; it is now. */
  public Origins take() {
    Origins.Builder before = parts;
    parts = null;
    return before == null ? Origins.NONE : before.build();
  }

  /** The same, and what {@code input}, which is at its end, dropped behind its last row. */
  public Origins takeWithRestOf(ChunkIterator input) {
    add(input.rest());
    return take();
  }
}

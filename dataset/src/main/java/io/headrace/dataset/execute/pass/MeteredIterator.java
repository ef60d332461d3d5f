package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** A pass whose calls are measured for its {@link Stage}. */
final class MeteredIterator implements ChunkIterator {
  private final ChunkIterator measured;
  private final StageTime inside;

  MeteredIterator(ChunkIterator measured, StageTime inside) {
    this.measured = measured;
    this.inside = inside;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    int rows = 0;
    inside.begin();
    try {
      Chunk chunk = measured.next(maxRows);
      rows = chunk == null ? 0 : chunk.rows();
      return chunk;
    } finally {
      inside.end(rows);
    }
  }

  @Override
  public Origins rest() {
    return measured.rest();
  }

  @Override
  public long skip(long rows) {
    inside.begin();
    try {
      return measured.skip(rows);
    } finally {
      inside.end();
    }
  }

  @Override
  public long passOver(long rows) {
    inside.begin();
    try {
      return measured.passOver(rows);
    } finally {
      inside.end();
    }
  }

  @Override
  public void close() {
    measured.close();
    inside.close();
  }
}

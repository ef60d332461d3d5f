package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A pass over chunk files, one after the other. After a failure the rest of the file is lost, and
 * the pass continues with the next.
 */
final class ChunkFilesIterator implements ChunkIterator {
  private final LongFunction<Optional<ChunkFile>> files;
  private long next;
  private long toSkip;
  private volatile @Nullable ChunkFile current;
  private volatile boolean closed;

  /**
   * @param files opens the file with a number, from 0 on; empty behind the last
   * @param skipped the rows of the first file that are skipped
   */
  ChunkFilesIterator(LongFunction<Optional<ChunkFile>> files, long skipped) {
    this.files = files;
    this.toSkip = skipped;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    while (true) {
      ChunkFile file = current == null ? open() : current;
      if (file == null) {
        return null;
      }
      Chunk rows = read(file, toSkip == 0 ? maxRows : (int) Math.min(toSkip, maxRows));
      if (rows == null) {
        toSkip = 0;
        leave(file);
      } else if (toSkip == 0) {
        return rows;
      } else {
        toSkip -= rows.rows();
      }
    }
  }

  private @Nullable ChunkFile open() {
    if (closed) {
      return null;
    }
    ChunkFile file = files.apply(next++).orElse(null);
    current = file;
    if (file != null && closed) {
      file.close();
    }
    return file;
  }

  private @Nullable Chunk read(ChunkFile file, int maxRows) {
    try {
      return file.next(maxRows);
    } catch (StatusException e) {
      leave(file);
      throw e;
    }
  }

  private void leave(ChunkFile file) {
    current = null;
    file.close();
  }

  @Override
  public void close() {
    closed = true;
    ChunkFile file = current;
    if (file != null) {
      file.close();
    }
  }
}

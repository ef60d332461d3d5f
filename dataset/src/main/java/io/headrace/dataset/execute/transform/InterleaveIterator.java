package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DroppedOrigins;
import io.headrace.dataset.execute.pass.InnerPasses;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Takes blocks of rows from several passes in turn. A position in the cycle whose pass has ended
 * takes the next pass, if any, whose block starts at once.
 */
final class InterleaveIterator implements ChunkIterator {
  private final InnerPasses passes;
  private final long blockLength;

  /** Whether a failure counts as a row of its block, as in TensorFlow's parallel interleave. */
  private final boolean countsFailures;

  private final AtomicReferenceArray<@Nullable ChunkIterator> cycle;
  private final DroppedOrigins dropped = new DroppedOrigins();
  private int open;
  private int position;
  private long taken;
  private boolean inputEnded;
  private volatile boolean closed;
  private @Nullable StatusException failure;

  InterleaveIterator(
      InnerPasses passes, int cycleLength, long blockLength, boolean countsFailures) {
    this.passes = passes;
    this.countsFailures = countsFailures;
    this.blockLength = blockLength;
    this.cycle = new AtomicReferenceArray<>(cycleLength);
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    if (failure != null) {
      StatusException thrown = failure;
      failure = null;
      throw thrown;
    }
    List<Chunk> blocks = new ArrayList<>();
    int rows = 0;
    try {
      while (rows < maxRows && !closed) {
        Chunk block = nextBlock(maxRows - rows);
        if (block == null) {
          break;
        }
        blocks.add(block);
        rows += block.rows();
      }
    } catch (StatusException e) {
      if (rows == 0) {
        throw e;
      }
      failure = e;
    }
    if (rows == 0 && closed) {
      throw new StatusException(StatusCode.CANCELLED, "the pass was closed");
    }
    return rows == 0 ? null : Chunk.concat(blocks);
  }

  private @Nullable Chunk nextBlock(int maxRows) {
    while (!inputEnded || open > 0) {
      ChunkIterator pass = cycle.get(position);
      if (pass == null && inputEnded) {
        moveOn();
        continue;
      }
      if (pass == null) {
        openNext();
        continue;
      }
      Chunk block = take(pass, (int) Math.min(maxRows, blockLength - taken));
      if (block != null) {
        count(block.rows());
        return dropped.joinTo(block);
      }
      dropped.add(pass.rest());
      cycle.set(position, null);
      pass.close();
      open--;
      moveOn();
    }
    return null;
  }

  private @Nullable Chunk take(ChunkIterator pass, int maxRows) {
    try {
      return pass.next(maxRows);
    } catch (StatusException e) {
      if (countsFailures) {
        count(1);
      }
      throw e;
    }
  }

  private void count(int rows) {
    taken += rows;
    if (taken == blockLength) {
      moveOn();
    }
  }

  private void moveOn() {
    taken = 0;
    position = (position + 1) % cycle.length();
  }

  private void openNext() {
    ChunkIterator pass = passes.next();
    if (pass == null) {
      inputEnded = true;
      return;
    }
    open++;
    cycle.set(position, pass);
    if (closed) {
      pass.close();
    }
  }

  @Override
  public Origins rest() {
    dropped.add(passes.rest());
    return dropped.take();
  }

  @Override
  public void close() {
    closed = true;
    passes.close();
    for (int i = 0; i < cycle.length(); i++) {
      ChunkIterator pass = cycle.get(i);
      if (pass != null) {
        pass.close();
      }
    }
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DroppedOrigins;
import io.headrace.dataset.execute.pass.PrefetchProducer;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of several passes read in parallel, in the order in which they become ready. */
final class SloppyInterleaveIterator implements ChunkIterator {
  private final ParallelInnerPasses passes;
  private final int cycleLength;
  private final List<PrefetchProducer> reading = new ArrayList<>();
  private final DroppedOrigins dropped = new DroppedOrigins();
  private int position;
  private boolean inputEnded;

  SloppyInterleaveIterator(ParallelInnerPasses passes, int cycleLength) {
    this.passes = passes;
    this.cycleLength = cycleLength;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    while (true) {
      fill();
      if (reading.isEmpty()) {
        return null;
      }
      PrefetchProducer ended = null;
      passes.monitor().lock();
      try {
        passes.monitor().check();
        int found = awaitReady();
        PrefetchProducer producer = reading.get(found);
        if (producer.isReady()) {
          position = (found + 1) % reading.size();
          return dropped.joinTo(producer.take(maxRows));
        }
        ended = reading.remove(found);
        dropped.add(ended.rest());
        position = 0;
      } finally {
        passes.monitor().unlock();
      }
      passes.release(ended);
    }
  }

  private void fill() {
    while (!inputEnded && reading.size() < cycleLength) {
      PrefetchProducer producer = passes.nextProducer();
      if (producer == null) {
        inputEnded = true;
      } else {
        reading.add(producer);
      }
    }
  }

  /** Waits for a producer that has rows or has ended; returns its index. */
  private int awaitReady() {
    while (true) {
      for (int i = 0; i < reading.size(); i++) {
        int index = (position + i) % reading.size();
        PrefetchProducer producer = reading.get(index);
        if (producer.isReady() || producer.isAtEnd()) {
          return index;
        }
      }
      passes.await();
    }
  }

  @Override
  public Origins rest() {
    dropped.add(passes.rest());
    return dropped.take();
  }

  @Override
  public void close() {
    passes.close();
  }
}

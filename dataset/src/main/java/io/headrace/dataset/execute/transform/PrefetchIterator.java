package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CancellableMonitor;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.PrefetchProducer;
import io.headrace.dataset.execute.pass.StageTime;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** A pass that a producer reads ahead. */
final class PrefetchIterator implements ChunkIterator {
  private final Cancellation cancellation;
  private final CancellableMonitor monitor;
  private final ChunkIterator input;
  private final PrefetchProducer producer;
  private final StageTime waiting;

  private PrefetchIterator(
      ChunkIterator input, long bufferRows, IteratorContext context, Cancellation cancellation) {
    this.cancellation = cancellation;
    this.monitor = new CancellableMonitor(cancellation);
    this.input = input;
    this.producer =
        new PrefetchProducer(
            () -> input,
            monitor,
            context,
            new PrefetchProducer.Permits(monitor, 1),
            bufferRows,
            PrefetchProducer.Bound.ROWS);
    this.waiting = context.stage().waiting();
    context.stage().readsAhead();
  }

  /** Starts a pass over {@code dataset}; reads nothing before the first call of {@code next}. */
  static PrefetchIterator open(DatasetValue dataset, long bufferRows, IteratorContext context) {
    Cancellation cancellation = context.step().cancellation().child();
    IteratorContext inside = context.inBackground(cancellation);
    return new PrefetchIterator(inside.open(dataset), bufferRows, inside, cancellation);
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    monitor.lock();
    try {
      monitor.check();
      producer.start();
      waiting.foundFull(producer.fill());
      producer.want(maxRows);
      while (!producer.isReady()) {
        if (producer.isAtEnd()) {
          return null;
        }
        monitor.await(waiting);
      }
      return producer.take(maxRows);
    } finally {
      monitor.unlock();
    }
  }

  @Override
  public long passOver(long rows) {
    return input.passOver(rows);
  }

  @Override
  public Origins rest() {
    monitor.lock();
    try {
      return producer.rest();
    } finally {
      monitor.unlock();
    }
  }

  @Override
  public void close() {
    cancellation.cancel();
    monitor.lock();
    try {
      producer.close();
    } finally {
      monitor.unlock();
    }
    monitor.close();
    input.close();
    waiting.close();
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CancellableMonitor;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.DroppedOrigins;
import io.headrace.dataset.execute.pass.InnerPasses;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.PrefetchProducer;
import io.headrace.dataset.execute.pass.RowFunction;
import io.headrace.dataset.execute.pass.SplitRow;
import io.headrace.dataset.execute.pass.StageTime;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts the inner passes of an interleave ahead of their turn, each read by its own producer:
 * those of the cycle, and some beyond it. The function and the inner passes run on the producers'
 * threads; the input is read on the calling thread.
 */
final class ParallelInnerPasses implements InnerPasses {
  private final Cancellation cancellation;
  private final CancellableMonitor monitor;
  private final IteratorContext outside;
  private final IteratorContext context;
  private final ChunkIterator input;
  private final RowFunction function;
  private final PrefetchProducer.Permits permits;
  private final long bufferRows;
  private final long maxStarted;
  private final StageTime waiting;
  private final Deque<Object> upcoming = new ArrayDeque<>();
  private final List<PrefetchProducer> producers = new ArrayList<>();
  private long started;
  private int inUse;
  private boolean inputEnded;

  private ParallelInnerPasses(
      InterleaveDataset dataset, IteratorContext context, Cancellation cancellation) {
    this.cancellation = cancellation;
    this.monitor = new CancellableMonitor(cancellation);
    this.outside = context;
    this.context = context.withoutSplits();
    this.input = context.open(dataset.input());
    this.function = dataset.function().open(context);
    int atATime = dataset.ahead().parallelism().limit(context);
    this.permits = new PrefetchProducer.Permits(monitor, atATime);
    this.bufferRows = dataset.ahead().bufferRows();
    this.maxStarted = dataset.cycle(context) + dataset.ahead().datasets();
    this.waiting = context.stage().waiting();
    context.stage().readsInnerPassesAhead((int) Math.min(atATime, maxStarted));
  }

  /** Starts a pass; nothing runs before the first call of {@code next}. */
  static ChunkIterator open(InterleaveDataset dataset, IteratorContext outside) {
    Cancellation cancellation = outside.step().cancellation().child();
    IteratorContext context = outside.inBackground(cancellation);
    ParallelInnerPasses passes = new ParallelInnerPasses(dataset, context, cancellation);
    return dataset.ahead().parallelism().keepsOrder(context)
        ? new InterleaveIterator(passes, dataset.cycle(context), dataset.blockLength(), true)
        : new SloppyInterleaveIterator(passes, dataset.cycle(context));
  }

  @Override
  public @Nullable ChunkIterator next() {
    cancellation.check(); // a closed input also returns null
    while (!inputEnded && inUse + upcoming.size() < maxStarted) {
      startNext();
    }
    Object next = upcoming.pollFirst();
    if (next instanceof StatusException failure) {
      throw failure;
    }
    if (next instanceof PrefetchProducer producer) {
      inUse++;
      return new Pass(producer);
    }
    return null;
  }

  /** The producer of the next pass; null at the end. */
  @Nullable PrefetchProducer nextProducer() {
    return next() instanceof Pass pass ? pass.producer : null;
  }

  CancellableMonitor monitor() {
    return monitor;
  }

  /** Waits, with the monitor locked, until a producer may have become ready. */
  void await() {
    monitor.await(waiting);
  }

  private void startNext() {
    Chunk row;
    try {
      row = input.next(1);
    } catch (StatusException e) {
      upcoming.addLast(e);
      return;
    }
    if (row == null) {
      inputEnded = true;
      return;
    }
    SplitRow split = SplitRow.of(row.origins());
    IteratorContext inside = split.context(context.inBackground(cancellation)).at(started++);
    Supplier<ChunkIterator> opener = () -> open(row, split, inside);
    // TensorFlow's Python API always asks for the rows of two blocks and one, commonly three.
    PrefetchProducer producer =
        new PrefetchProducer(
            opener,
            monitor,
            inside,
            permits,
            bufferRows,
            PrefetchProducer.Bound.ROWS_OR_SMALL_CHUNKS);
    upcoming.addLast(producer);
    monitor.lock();
    try {
      producers.add(producer);
      producer.start();
    } finally {
      monitor.unlock();
    }
  }

  private ChunkIterator open(Chunk row, SplitRow split, IteratorContext inside) {
    try {
      DatasetValue made = function.callForDataset(row.row(0));
      return split.named(inside.open(made), outside);
    } catch (StatusException e) {
      return split.failed(e);
    }
  }

  @Override
  public Origins rest() {
    DroppedOrigins dropped = new DroppedOrigins();
    SplitRow.addEnds(input.rest(), dropped);
    return dropped.take();
  }

  /** Drops a producer whose rows were all taken. */
  void release(PrefetchProducer producer) {
    inUse--;
    monitor.lock();
    try {
      producer.close();
      producers.remove(producer);
    } finally {
      monitor.unlock();
    }
  }

  /** The rows of one producer. */
  private final class Pass implements ChunkIterator {
    private final PrefetchProducer producer;
    private boolean released;

    Pass(PrefetchProducer producer) {
      this.producer = producer;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      monitor.lock();
      try {
        monitor.check();
        while (!producer.isReady()) {
          if (producer.isAtEnd()) {
            return null;
          }
          await();
        }
        return producer.take(maxRows);
      } finally {
        monitor.unlock();
      }
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
      if (!released) {
        released = true;
        release(producer);
      }
    }
  }

  @Override
  public void close() {
    cancellation.cancel();
    List<ChunkIterator> begun = new ArrayList<>();
    monitor.lock();
    try {
      for (PrefetchProducer producer : producers) {
        producer.close();
        ChunkIterator pass = producer.input();
        if (pass != null) {
          begun.add(pass);
        }
      }
    } finally {
      monitor.unlock();
    }
    monitor.close();
    begun.forEach(ChunkIterator::close);
    input.close();
    waiting.close();
  }
}

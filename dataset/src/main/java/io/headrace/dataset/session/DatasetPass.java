package io.headrace.dataset.session;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.PassProgress;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.SystemTicker;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A pass over a dataset that outlives the step that began it. Rows are taken one by one: what a
 * function of the pipeline does to a session's variables is done for no row before it is asked for.
 * Used by one thread at a time; {@link #close} may be called from another.
 */
final class DatasetPass implements AutoCloseable {
  /** Runs whatever of a pass may block; its threads end when they have been idle for a while. */
  static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("session-iterator-", 0).factory());

  /** What AUTOTUNE may hold in buffers: a share of the heap. */
  private static final int HEAP_SHARE = 8;

  private final Cancellation cancellation;
  private final ChunkIterator iterator;
  private final PassProgress progress;

  /** A row that was made for somebody who did not wait for it. */
  private @Nullable Outcome held;

  /**
   * What became of a row.
   *
   * @param row its components; empty at the end
   * @param origins the records that it was made of
   * @param failure why there is none
   */
  record Outcome(Optional<List<Tensor>> row, Origins origins, @Nullable RuntimeException failure) {}

  private DatasetPass(Cancellation cancellation, ChunkIterator iterator, PassProgress progress) {
    this.cancellation = cancellation;
    this.iterator = iterator;
    this.progress = progress;
  }

  /** Begins a pass on the device, and with the resources, of {@code step}. */
  static DatasetPass open(DatasetValue dataset, StepContext step) {
    Cancellation cancellation = new Cancellation();
    Runtime runtime = Runtime.getRuntime();
    IteratorContext context =
        new IteratorContext(
            step.withCancellation(cancellation),
            SystemTicker.INSTANCE,
            new SplittableRandom(),
            THREADS,
            runtime.availableProcessors(),
            runtime.maxMemory() / HEAP_SHARE);
    return new DatasetPass(cancellation, dataset.iterator(context), context.progress());
  }

  /** What becomes of the next row; waits for it. */
  Outcome next() {
    Outcome kept = held;
    if (kept != null) {
      held = null;
      return kept;
    }
    try {
      Chunk chunk = iterator.next(1);
      progress.awaitDelivery();
      return chunk == null
          ? new Outcome(Optional.empty(), Origins.NONE, null)
          : new Outcome(Optional.of(chunk.row(0)), chunk.origins(), null);
    } catch (RuntimeException e) {
      return new Outcome(Optional.empty(), Origins.NONE, e);
    }
  }

  /** Gives back what {@link #next} said: it says so again. */
  void hold(Outcome outcome) {
    held = outcome;
  }

  /** The row that {@link #next} gave has its taker, who does not give it back. */
  void took(Outcome outcome) {
    progress.took(outcome.origins());
  }

  @Override
  public void close() {
    cancellation.cancel();
    iterator.close();
  }
}

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
 * A pass over a dataset that outlives the step that started it. Rows are taken one by one, so that
 * the pipeline's side effects on a session's variables happen only for requested rows. Used by one
 * thread at a time; {@link #close} may be called from another.
 */
final class DatasetPass implements AutoCloseable {
  /** Runs the blocking work of passes; idle threads end after a while. */
  static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("session-iterator-", 0).factory());

  /** AUTOTUNE buffers may hold {@code 1 / HEAP_SHARE} of the heap. */
  private static final int HEAP_SHARE = 8;

  private final Cancellation cancellation;
  private final ChunkIterator iterator;
  private final PassProgress progress;

  /** A row computed for a caller that was cancelled. */
  private @Nullable Outcome held;

  /**
   * The outcome of computing a row.
   *
   * @param row the row's components; empty at the end
   * @param origins the records that the row was made of
   * @param failure the failure, if computing the row failed
   */
  record Outcome(Optional<List<Tensor>> row, Origins origins, @Nullable RuntimeException failure) {}

  private DatasetPass(Cancellation cancellation, ChunkIterator iterator, PassProgress progress) {
    this.cancellation = cancellation;
    this.iterator = iterator;
    this.progress = progress;
  }

  /** Starts a pass on the device and with the resources of {@code step}. */
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
    return new DatasetPass(cancellation, context.open(dataset), context.progress());
  }

  /** Blocks for the outcome of the next row. */
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

  /** Returns {@code outcome} to the pass: {@link #next} returns it again. */
  void hold(Outcome outcome) {
    held = outcome;
  }

  /** Records that the row of {@code outcome} was delivered. */
  void took(Outcome outcome) {
    progress.took(outcome.origins());
  }

  @Override
  public void close() {
    cancellation.cancel();
    iterator.close();
  }
}

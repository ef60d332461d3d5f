package io.headrace.dataset;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.ChunkPacer;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.PassProgress;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.time.SystemTicker;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A pass over a dataset in this process. */
final class LocalChunkReader implements ChunkReader {
  /** Upper bound of a chunk's size. */
  private static final long CHUNK_BYTES = 1 << 20;

  /** AUTOTUNE buffers may hold {@code 1 / HEAP_SHARE} of the heap. */
  private static final int HEAP_SHARE = 8;

  private final DatasetValue value;
  private final ChunkIterator iterator;
  private final PassProgress progress;
  private @Nullable Chunk last;

  /** A chunk that was read and must not be delivered yet. */
  private @Nullable Chunk undelivered;

  private final ChunkPacer pacer = new ChunkPacer(CHUNK_BYTES);
  private final StepContext step;
  private final ExecutorService threads;

  private LocalChunkReader(
      DatasetValue value, IteratorContext context, StepContext step, ExecutorService threads) {
    this.value = value;
    this.iterator = context.open(value);
    this.progress = context.progress();
    this.step = step;
    this.threads = threads;
  }

  /** The dataset of {@code graph}; reads no element. */
  static DatasetValue load(GraphDef graph, StepContext step) {
    return DatasetGraph.read(graph).load(OpRegistry.standard(), step);
  }

  static LocalChunkReader open(GraphDef graph) {
    StepContext step = StepContext.standalone();
    DatasetGraph.read(graph).checkPins(step.devices());
    DatasetValue value = load(graph, step);
    ExecutorService threads =
        Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("dataset-", 0).factory());
    Runtime runtime = Runtime.getRuntime();
    IteratorContext context =
        new IteratorContext(
            step,
            SystemTicker.INSTANCE,
            new SplittableRandom(),
            threads,
            runtime.availableProcessors(),
            runtime.maxMemory() / HEAP_SHARE);
    return new LocalChunkReader(value, context, step, threads);
  }

  @Override
  public @Nullable Chunk next() {
    long started = SystemTicker.INSTANCE.nanoTime();
    if (last != null) {
      progress.took(last.origins());
      last = null;
    }
    if (undelivered == null) {
      Chunk chunk = iterator.next(pacer.rows());
      undelivered = chunk;
      if (chunk != null) {
        pacer.took(chunk.rows(), SystemTicker.INSTANCE.nanoTime() - started, chunk.byteSize());
      }
    }
    progress.awaitDelivery();
    last = undelivered;
    undelivered = null;
    return last;
  }

  @Override
  public void awaitDelivery() {
    progress.awaitDelivery();
  }

  @Override
  public long cardinality() {
    return value.cardinality();
  }

  @Override
  public boolean readsFromWorkers() {
    return progress.isFromWorkers();
  }

  @Override
  public long errorsIgnored() {
    return progress.elementsIgnored();
  }

  @Override
  public Checkpoint checkpoint(int untaken) {
    if (value.lineage() instanceof Lineage.Lost lost) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION, "this pass can't be resumed: " + lost.reason());
    }
    Chunk current = last;
    Origins taken =
        current == null ? Origins.NONE : current.origins().slice(0, current.rows() - untaken);
    return Checkpoint.of(progress.checkpoint(taken));
  }

  @Override
  public void leave(int untaken) {
    Chunk current = last;
    if (current != null) {
      last = null;
      progress.took(current.origins().slice(0, current.rows() - untaken));
    }
  }

  @Override
  public void close() {
    step.cancellation().cancel();
    iterator.close();
    threads.shutdownNow();
    step.resources().close();
    progress.ignoredErrors().end(SystemTicker.INSTANCE);
  }
}

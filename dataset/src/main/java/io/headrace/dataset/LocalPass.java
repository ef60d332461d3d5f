package io.headrace.dataset;

import io.headrace.dataset.execute.ChunkIterator;
import io.headrace.dataset.execute.ChunkPacer;
import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.DatasetValue;
import io.headrace.dataset.execute.IteratorContext;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.time.SystemTicker;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A pass over a dataset in this process. */
final class LocalPass implements ChunkReader {
  /** Chunks do not grow beyond this. */
  private static final long CHUNK_BYTES = 1 << 20;

  /** What AUTOTUNE may hold in buffers: a share of the heap. */
  private static final int HEAP_SHARE = 8;

  private final ChunkIterator iterator;
  private final ChunkPacer pacer = new ChunkPacer(CHUNK_BYTES);
  private final StepContext step;
  private final ExecutorService threads;

  private LocalPass(ChunkIterator iterator, StepContext step, ExecutorService threads) {
    this.iterator = iterator;
    this.step = step;
    this.threads = threads;
  }

  /** The dataset that {@code graph} describes; nothing is read yet. */
  static DatasetValue load(GraphDef graph, StepContext step) {
    return DatasetGraph.read(graph).load(OpRegistry.standard(), step);
  }

  static LocalPass open(GraphDef graph) {
    StepContext step = StepContext.standalone();
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
    return new LocalPass(value.iterator(context), step, threads);
  }

  @Override
  public @Nullable Chunk next() {
    long started = SystemTicker.INSTANCE.nanoTime();
    Chunk chunk = iterator.next(pacer.rows());
    if (chunk != null) {
      pacer.took(chunk.rows(), SystemTicker.INSTANCE.nanoTime() - started, chunk.byteSize());
    }
    return chunk;
  }

  @Override
  public void close() {
    step.cancellation().cancel();
    iterator.close();
    threads.shutdownNow();
    step.resources().close();
  }
}

package io.headrace.worker;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.ChunkPacer;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.PassProgress;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.dataset.execute.snapshot.ChunkFileWriter;
import io.headrace.dataset.file.FileCompression;
import io.headrace.proto.data.SnapshotTaskDef;
import io.headrace.proto.headrace.PendingChunk;
import io.headrace.proto.headrace.StreamCheckpoint;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A pass over the dataset of a stream of a distributed snapshot, which writes its chunks.
 *
 * <p>Where rows tell which records they are made of, chunks are committed as they are written, with
 * a checkpoint of their records: after a restart, the pass begins anew over the splits of the
 * stream and leaves these records out. Other datasets are committed all at once, at their end, and
 * written anew after a restart. Used by one thread.
 */
final class SnapshotPass {
  /** The first; each later one is as much longer, as every commit makes a file. */
  private static final Duration COMMIT_PERIOD = Duration.ofSeconds(30);

  private static final Duration LONGEST_PERIOD = Duration.ofMinutes(10);
  private static final long PIECE_BYTES = 1 << 20;

  private final SnapshotTaskDef task;
  private final SnapshotEnvironment environment;
  private final StreamFiles files;
  private final StepContext step;
  private final Cancellation cancellation;
  private final FileCompression compression;
  private StreamCheckpoint.Builder checkpoint = StreamCheckpoint.newBuilder();
  private RecordSet records = new RecordSet();
  private @Nullable ChunkFileWriter chunk;
  private String chunkFile = "";
  private PassProgress progress = new PassProgress();

  /** Whether rows are written, or failed to be. */
  private boolean isWriting;

  private long committedNanos;

  /**
   * A pass that has not begun.
   *
   * @param task the stream
   * @param environment its worker's services
   * @param files its files
   * @param step the resources of its functions, and its cancellation
   */
  SnapshotPass(
      SnapshotTaskDef task, SnapshotEnvironment environment, StreamFiles files, StepContext step) {
    this.task = task;
    this.environment = environment;
    this.files = files;
    this.step = step;
    this.cancellation = step.cancellation();
    this.compression =
        FileCompression.ofAttr(task.getMetadata().getCompression(), FileCompression.SNAPPY);
  }

  /**
   * Writes the stream to its end, or throws the reason why it can't.
   *
   * @throws StatusException ABORTED if another worker has the stream now, CANCELLED once the step
   *     is cancelled, otherwise the error of the dataset or of the disk
   */
  void run() {
    StreamCheckpoint last = files.open();
    if (!last.getFinished()) {
      checkpoint.setNumChunks(last.getNumChunks());
      records = RecordSet.of(last.getRecords());
      write();
    }
    files.finish();
  }

  private void write() {
    DatasetValue dataset = load();
    boolean tracked = dataset.lineage().reasonLost().isEmpty();
    committedNanos = environment.host().ticker().nanoTime();
    try (ChunkIterator rows = open(dataset, tracked);
        Cancellation.Registration _ = cancellation.onCancel(rows::close)) {
      writeAll(rows, tracked);
      cancellation.check();
      endChunk();
      commit(true);
    } catch (StatusException e) {
      if (tracked && cancellation.isCancelled() && !isWriting) {
        endChunk();
        commit(false);
      }
      throw e;
    } finally {
      progress.ignoredErrors().end(environment.host().ticker());
      if (chunk != null) {
        chunk.close();
      }
    }
  }

  private void writeAll(ChunkIterator rows, boolean tracked) {
    Ticker ticker = environment.host().ticker();
    ChunkPacer pacer = new ChunkPacer(PIECE_BYTES);
    while (true) {
      cancellation.check();
      long start = ticker.nanoTime();
      @Nullable Chunk next = rows.next(pacer.rows());
      if (next == null) {
        return;
      }
      long now = ticker.nanoTime();
      pacer.took(next.rows(), now - start, next.byteSize());
      isWriting = true;
      add(next, tracked, now);
      isWriting = false;
    }
  }

  private DatasetValue load() {
    DatasetGraph graph = DatasetGraph.read(files.dataset().getGraph());
    graph.check(environment.host().ops());
    graph.checkPins(step.devices());
    DatasetValue dataset = graph.load(environment.host().ops(), step);
    int sources = dataset.splitSources().size();
    if (sources != task.getNumSources()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "the snapshot at %s has %d sources, and its dataset %d here",
          task.getBasePath(),
          task.getNumSources(),
          sources);
    }
    return dataset;
  }

  private ChunkIterator open(DatasetValue dataset, boolean tracked) {
    WorkerHost host = environment.host();
    RecordSet committed = records.copy();
    List<SplitProvider> splits =
        IntStream.range(0, (int) task.getNumSources())
            .<SplitProvider>mapToObj(source ->
                new SnapshotSplitProvider(
                    environment.dispatcher(),
                    environment.address().get(),
                    task,
                    source,
                    files,
                    tracked,
                    committed,
                    cancellation))
            .toList();
    IteratorContext context =
        new IteratorContext(
            step,
            host.ticker(),
            new SplittableRandom(host.random().nextLong()),
            environment.threads(),
            Runtime.getRuntime().availableProcessors(),
            host.bufferBytes());
    progress = context.progress();
    return context.withSplits(splits).open(dataset);
  }

  private void add(Chunk rows, boolean tracked, long nowNanos) {
    ChunkFileWriter writer = chunk;
    if (writer == null) {
      chunkFile =
          "chunk_%d__%s.tfrecord"
              .formatted(
                  checkpoint.getNumChunks(),
                  Long.toUnsignedString(environment.host().random().nextLong()));
      writer = ChunkFileWriter.create(files.uncommitted(chunkFile), compression);
      chunk = writer;
    }
    writer.write(rows);
    records.add(rows.origins());
    boolean isFull = writer.bytes() >= environment.maxChunkBytes();
    boolean isDue = nowNanos - committedNanos >= commitPeriod().toNanos();
    if (isFull || (tracked && isDue)) {
      endChunk();
      if (tracked) {
        commit(false);
      }
    }
  }

  private Duration commitPeriod() {
    Duration period = COMMIT_PERIOD.multipliedBy(1 + checkpoint.getNumChunks());
    return period.compareTo(LONGEST_PERIOD) < 0 ? period : LONGEST_PERIOD;
  }

  private void endChunk() {
    ChunkFileWriter ended = chunk;
    if (ended == null) {
      return;
    }
    ended.commit();
    chunk = null;
    long number = checkpoint.getNumChunks();
    checkpoint
        .addChunks(
            PendingChunk.newBuilder()
                .setFile(chunkFile)
                .setName(
                    "chunk_%d_%d_%d".formatted(task.getStreamIndex(), number, ended.elements())))
        .setNumChunks(number + 1);
  }

  private void commit(boolean last) {
    files.commit(checkpoint.setRecords(records.toProto()).setFinished(last).build());
    checkpoint = StreamCheckpoint.newBuilder().setNumChunks(checkpoint.getNumChunks());
    committedNanos = environment.host().ticker().nanoTime();
  }
}

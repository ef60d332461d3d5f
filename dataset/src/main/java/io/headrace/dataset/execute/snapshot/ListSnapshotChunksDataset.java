package io.headrace.dataset.execute.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The names of the chunk files of a distributed snapshot. A pass over one that is still written
 * waits for its chunks; once it is done they are splits, which workers can divide.
 *
 * @param path the folder of the snapshot
 * @param spec the type of a name
 */
record ListSnapshotChunksDataset(String path, ElementSpec spec) implements DatasetValue {
  static final Op OP =
      DatasetOp.define("ListSnapshotChunksDataset(snapshot_path: string)")
          .attrs("output_types: list(type)", "output_shapes: list(shape)")
          .touches(Touch.READS_FILES)
          .remark(
              "Dynamic sharding of a snapshot that is still written is refused"
                  + " (FAILED_PRECONDITION).")
          .kernel(DatasetKernel.making(ListSnapshotChunksDataset::of));

  private static ListSnapshotChunksDataset of(OpArguments in) {
    String path = in.string("snapshot_path");
    if (path.isEmpty()) {
      throw in.invalid("snapshot_path is required to list snapshot chunks.");
    }
    return new ListSnapshotChunksDataset(
        path, ElementSpec.of(in.where(), DataType.STRING, Shape.SCALAR));
  }

  @Override
  public List<DataType> outputTypes() {
    return spec.types();
  }

  @Override
  public List<Shape> outputShapes() {
    return spec.shapes();
  }

  @Override
  public long cardinality() {
    try {
      return SnapshotChunks.isDone(path) ? SnapshotChunks.committed(path).size() : UNKNOWN;
    } catch (StatusException _) {
      return UNKNOWN; // passes throw it
    }
  }

  @Override
  public String iteratorName() {
    return "ListSnapshotChunksDataset";
  }

  @Override
  public Lineage lineage() {
    return Lineage.Told.SPLITS;
  }

  @Override
  public List<SplitSource> splitSources() {
    if (!SnapshotChunks.isDone(path)) {
      throw spec.error(
          StatusCode.FAILED_PRECONDITION,
          "the snapshot in %s is not finished, and workers can divide it only then; wait for its"
              + " file DONE, or let each worker read all of it",
          path);
    }
    return listed().splitSources().stream().map(SplitSource::asNames).toList();
  }

  private InMemoryDataset listed() {
    List<String> files = SnapshotChunks.committed(path);
    return new InMemoryDataset(
        files.isEmpty() ? List.of() : List.of(rows(files)), spec, InMemoryDataset.Use.SPLIT_FILES);
  }

  private static Chunk rows(List<String> files) {
    byte[][] names = files.stream().map(file -> file.getBytes(UTF_8)).toArray(byte[][]::new);
    Tensor tensor = Tensor.wrap(DataType.STRING, Shape.of(names.length), names);
    return Chunk.of(names.length, List.of(new Column.Stacked(tensor)));
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return context.splits().isEmpty()
        ? new Iterator(context.step().cancellation())
        : listed().iterator(context);
  }

  private final class Iterator implements ChunkIterator {
    private static final long FIRST_WAIT_MILLIS = 100;
    private static final long LONGEST_WAIT_MILLIS = 5_000;

    private final Set<String> seen = new HashSet<>();
    private final Deque<String> unread = new ArrayDeque<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Cancellation cancellation;
    private final Cancellation.Registration registration;
    private boolean isDone;

    Iterator(Cancellation cancellation) {
      this.cancellation = cancellation;
      this.registration = cancellation.onCancel(ended::countDown);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      long wait = 0;
      while (unread.isEmpty() && !isDone) {
        pause(wait);
        look();
        wait = Math.clamp(2 * wait, FIRST_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
      }
      if (unread.isEmpty()) {
        return null;
      }
      int count = Math.min(maxRows, unread.size());
      List<String> next = unread.stream().limit(count).toList();
      next.forEach(unread::remove);
      return rows(next);
    }

    private void look() {
      boolean done;
      try {
        done = SnapshotChunks.isDone(path);
      } catch (StatusException e) {
        isDone = true; // the error is the last row
        throw e;
      }
      SnapshotChunks.committed(path).stream().filter(seen::add).forEach(unread::add);
      isDone = done;
    }

    private void pause(long millis) {
      try {
        if (ended.await(millis, MILLISECONDS)) {
          cancellation.check();
          throw new StatusException(StatusCode.CANCELLED, "the pass was closed");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StatusException(StatusCode.CANCELLED, "the thread was interrupted", e);
      }
    }

    @Override
    public void close() {
      ended.countDown();
      registration.close();
    }
  }
}

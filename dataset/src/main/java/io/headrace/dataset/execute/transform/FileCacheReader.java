package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.kernels.checkpoint.BundleSequence;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pass over the rows of a cache on disk. A damaged file is DATA_LOSS, naming it, and the cache of
 * another dataset INVALID_ARGUMENT; the pass ends with either.
 */
final class FileCacheReader implements ChunkIterator {
  private static final int MAX_ROWS = 1024;

  private final FileCacheDataset dataset;
  private final BundleSequence tensors;
  private long row;

  /** The failure of the next row; the pass ends behind it. */
  private @Nullable StatusException failure;

  private boolean isDone;

  FileCacheReader(FileCacheDataset dataset) {
    this.dataset = dataset;
    this.tensors = BundleSequence.open(dataset.file());
  }

  @Override
  public synchronized @Nullable Chunk next(int maxRows) {
    if (failure != null) {
      StatusException thrown = failure;
      failure = null;
      throw thrown;
    }
    List<Chunk> rows = new ArrayList<>();
    int most = Math.min(maxRows, MAX_ROWS);
    while (!isDone && rows.size() < most) {
      try {
        addRow(rows);
      } catch (StatusException e) {
        isDone = true;
        if (rows.isEmpty()) {
          throw e;
        }
        failure = e;
      }
    }
    return rows.isEmpty() ? null : Chunk.concat(rows);
  }

  private void addRow(List<Chunk> rows) {
    List<DataType> types = dataset.outputTypes();
    List<Tensor> components = new ArrayList<>(types.size());
    for (int component = 0; component < types.size(); component++) {
      Optional<BundleSequence.Named> found = tensors.next();
      if (found.isEmpty() && component == 0) {
        isDone = true;
        return;
      }
      components.add(component(found, component));
    }
    rows.add(Chunk.ofElement(components));
    row++;
  }

  private Tensor component(Optional<BundleSequence.Named> found, int component) {
    DataType type = dataset.outputTypes().get(component);
    String key = dataset.key(row, component);
    if (found.isPresent()
        && found.get().name().equals(key)
        && found.get().tensor().dtype() == type) {
      return found.get().tensor();
    }
    String instead =
        found
            .map(named -> "'%s' of %s".formatted(named.name(), named.tensor().dtype().tfName()))
            .orElse("its end");
    throw StatusException.of(
            StatusCode.INVALID_ARGUMENT,
            "%s holds the cache of another dataset: it has %s where '%s' of %s should be; delete"
                + " it, or cache in another file",
            dataset.file(),
            instead,
            key,
            type.tfName())
        .in(dataset.where());
  }

  @Override
  public synchronized void close() {
    isDone = true;
    tensors.close();
  }
}

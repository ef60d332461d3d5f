package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.dataset.file.FileCompression;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads runs: the user's {@code reader_func} makes the dataset to read of a dataset of datasets,
 * one for each shard.
 *
 * @param function the reader function
 * @param compression the compression of the files
 * @param spec the types of the rows
 */
record ShardsReading(CapturedFunction function, FileCompression compression, ElementSpec spec) {
  /** Starts a pass over the run in the folder {@code run}. NOT_FOUND if it is not there. */
  ChunkIterator open(String run, IteratorContext context) {
    IteratorContext whole = context.withoutSplits();
    DatasetValue made = function.open(whole).callForDataset(List.of(Tensor.variant(datasets(run))));
    check(made);
    return whole.open(made);
  }

  /** INVALID_ARGUMENT unless the elements of {@code made} can be those that are declared. */
  private void check(DatasetValue made) {
    boolean isDeclared =
        made.outputTypes().equals(spec.types())
            && made.outputShapes().size() == spec.shapes().size()
            && IntStream.range(0, spec.shapes().size())
                .allMatch(i -> spec.shapes().get(i).isCompatibleWith(made.outputShapes().get(i)));
    if (!isDeclared) {
      throw spec.error(
          StatusCode.INVALID_ARGUMENT,
          "reader_func returned a dataset of %s with shapes %s, and elements of %s with shapes %s"
              + " are declared",
          SnapshotMetadata.names(made.outputTypes()),
          made.outputShapes(),
          SnapshotMetadata.names(spec.types()),
          spec.shapes());
    }
  }

  private DatasetValue datasets(String run) {
    List<Tensor> shards =
        shardsOf(run).stream()
            .map(name -> SnapshotNames.join(run, name))
            .<DatasetValue>map(folder -> ChunkFilesDataset.ofShard(folder, compression, spec))
            .map(Tensor::variant)
            .toList();
    List<Chunk> rows =
        shards.isEmpty()
            ? List.of()
            : List.of(
                Chunk.of(shards.size(), List.of(new Column.Listed(DataType.VARIANT, shards))));
    return new InMemoryDataset(rows, ElementSpec.of(spec.node(), DataType.VARIANT, Shape.SCALAR));
  }

  private static List<String> shardsOf(String run) {
    try {
      return DataFiles.names(run).stream()
          .filter(name -> name.endsWith(SnapshotNames.SHARD))
          .toList();
    } catch (StatusException e) {
      throw e.code() == StatusCode.NOT_FOUND
          ? new StatusException(
              StatusCode.NOT_FOUND,
              "the folder %s of a saved dataset is not there, and its metadata names it"
                  .formatted(run),
              e)
          : e;
    }
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.stream.LongStream;

/** Batches of {@code size} elements of the input, stacked. */
public record BatchDataset(
    DatasetValue input, long size, boolean dropsRemainder, ElementSpec spec, OnError onError)
    implements UnaryDataset.Declared {
  /** The rows lost to an error within a batch. */
  public enum OnError {
    /** The rows of the batch before the error; the next batch starts behind it. */
    RESTARTS,
    /** The whole batch; the next batch starts where it would have started without the error. */
    SKIPS_BATCH
  }

  public static final List<Op> OPS =
      List.of(
          DatasetOp.of(
              "BatchDataset(input_dataset: variant, batch_size: int64)", in -> of(in, false)),
          DatasetOp.of(
              "BatchDatasetV2(input_dataset: variant, batch_size: int64, drop_remainder: bool)",
              in -> of(in, in.bool("drop_remainder")),
              "parallel_copy: bool = false"),
          DatasetOp.of(
              "ParallelBatchDataset(input_dataset: variant, batch_size: int64,"
                  + " num_parallel_calls: int64, drop_remainder: bool)",
              in -> of(in, in.bool("drop_remainder")),
              "parallel_copy: bool = false",
              "deterministic: string = 'default'"),
          DatasetOp.of(
              "MapAndBatchDataset(input_dataset: variant, other_arguments: [Targuments],"
                  + " batch_size: int64, num_parallel_calls: int64, drop_remainder: bool)",
              BatchDataset::ofMap,
              "f: func",
              "Targuments: list(type)",
              "preserve_cardinality: bool = false"));

  private static BatchDataset of(OpArguments in, boolean dropsRemainder) {
    return new BatchDataset(
        in.dataset("input_dataset"),
        in.positive("batch_size"),
        dropsRemainder,
        in.spec(),
        OnError.RESTARTS);
  }

  private static BatchDataset ofMap(OpArguments in) {
    ElementSpec spec = in.spec();
    List<Shape> rowShapes = spec.shapes().stream().map(shape -> shape.dropFirst(1)).toList();
    MapDataset map =
        new MapDataset(
            in.dataset("input_dataset"),
            in.function("f", "other_arguments"),
            new ElementSpec(spec.node(), spec.types(), rowShapes),
            in.attrs().bool("preserve_cardinality"),
            Parallelism.ofSloppy(in, false));
    return new BatchDataset(
        map, in.positive("batch_size"), in.bool("drop_remainder"), spec, OnError.SKIPS_BATCH);
  }

  /**
   * Whether TensorFlow makes the batches where it calls a function: in MapAndBatch, or of a map.
   */
  boolean isFusedWithMap() {
    return onError == OnError.SKIPS_BATCH || input instanceof MapDataset;
  }

  /** Passes over batches of {@code size} rows of {@code input}; returns the number of batches. */
  static long passOver(ChunkIterator input, long size, boolean dropsRemainder, long batches) {
    long rows = batches > Long.MAX_VALUE / size ? Long.MAX_VALUE : batches * size;
    long passed = input.passOver(rows);
    return passed / size + (passed % size == 0 || dropsRemainder ? 0 : 1);
  }

  @Override
  public long cardinality() {
    long rows = input.cardinality();
    if (rows < 0) {
      return rows;
    }
    return rows / size + (rows % size == 0 || dropsRemainder ? 0 : 1);
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    long inputRows = input.cardinality();
    RowIndices inputIndices =
        rows.flatMap(
            batch -> LongStream.range(batch * size, Math.min(inputRows, (batch + 1) * size)));
    return new BatchDataset(input.select(inputIndices), size, dropsRemainder, spec, onError);
  }

  @Override
  public Lineage lineage() {
    return input.lineage().united();
  }

  @Override
  public String iteratorName() {
    return "BatchV2";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new BatchIterator(this, context.open(input));
  }
}

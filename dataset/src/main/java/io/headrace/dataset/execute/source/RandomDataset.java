package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SampleStream;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.dataset.execute.pass.SplitIterator;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Infinite random numbers from 0 to 2^32 - 1; TensorFlow's numbers for TensorFlow's seeds. */
public record RandomDataset(SeedGenerator seeds) implements DatasetValue {
  public static final List<Op> OPS =
      List.of(
          DatasetOp.stateful(
              "RandomDataset(seed: int64, seed2: int64)",
              in -> new RandomDataset(new SeedGenerator(Seeds.of(in), false))),
          DatasetOp.stateful(
              "RandomDatasetV2(seed: int64, seed2: int64, seed_generator: resource)",
              RandomDataset::ofGenerator,
              "rerandomize_each_iteration: bool = false"));

  private static final int MAX_ROWS = 1 << 16;

  private static RandomDataset ofGenerator(OpArguments in) {
    SeedGenerator own =
        new SeedGenerator(Seeds.of(in), in.attrs().bool("rerandomize_each_iteration"));
    return new RandomDataset(
        DatasetResourceOps.resourceOr(in.tensor("seed_generator"), SeedGenerator.class, own));
  }

  @Override
  public List<DataType> outputTypes() {
    return List.of(DataType.INT64);
  }

  @Override
  public List<Shape> outputShapes() {
    return List.of(Shape.SCALAR);
  }

  @Override
  public long cardinality() {
    return INFINITE;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return context.splits().isEmpty()
        ? new Iterator(new SampleStream(seeds.next(context.random())))
        : new SplitIterator(context.splits().getFirst(), RandomDataset::values);
  }

  @Override
  public List<SplitSource> splitSources() {
    return List.of(SplitSource.random());
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of("RandomDataset", "its numbers have no end, and no order");
  }

  /** The values of the splits are the random numbers themselves. */
  private static Chunk values(SplitRun run) {
    long[] values = new long[(int) run.count()];
    Arrays.setAll(values, run::value);
    return Chunk.of(
        values.length,
        List.of(new Column.Stacked(Tensor.wrap(DataType.INT64, Shape.of(values.length), values))));
  }

  private static final class Iterator implements ChunkIterator {
    private final SampleStream samples;
    private volatile boolean closed;

    Iterator(SampleStream samples) {
      this.samples = samples;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (closed) {
        return null;
      }
      long[] values = new long[Math.min(maxRows, MAX_ROWS)];
      for (int i = 0; i < values.length; i++) {
        values[i] = samples.next();
      }
      return Chunk.of(
          values.length,
          List.of(
              new Column.Stacked(Tensor.wrap(DataType.INT64, Shape.of(values.length), values))));
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}

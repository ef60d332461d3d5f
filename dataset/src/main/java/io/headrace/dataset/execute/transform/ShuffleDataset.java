package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.source.DatasetResourceOps;
import io.headrace.runtime.op.Op;
import java.util.List;

/**
 * The elements of the input, each drawn at random from a buffer of {@code bufferSize} elements;
 * TensorFlow's order for TensorFlow's seeds.
 */
public record ShuffleDataset(DatasetValue input, long bufferSize, SeedGenerator seeds)
    implements UnaryDataset {
  private static final String RESHUFFLE = "reshuffle_each_iteration: bool = true";

  public static final List<Op> OPS =
      List.of(
          DatasetOp.stateful(
              "ShuffleDataset(input_dataset: variant, buffer_size: int64, seed: int64,"
                  + " seed2: int64)",
              in -> of(in, own(in)),
              RESHUFFLE),
          DatasetOp.stateful(
              "ShuffleDatasetV2(input_dataset: variant, buffer_size: int64,"
                  + " seed_generator: resource)",
              in -> of(in, shared(in, new SeedGenerator(new Seeds(0, 0), true)))),
          DatasetOp.stateful(
              "ShuffleDatasetV3(input_dataset: variant, buffer_size: int64, seed: int64,"
                  + " seed2: int64, seed_generator: resource)",
              in -> of(in, shared(in, own(in))),
              RESHUFFLE),
          DatasetOp.stateful(
              "ShuffleAndRepeatDataset(input_dataset: variant, buffer_size: int64, seed: int64,"
                  + " seed2: int64, count: int64)",
              in -> repeated(in, own(in)),
              RESHUFFLE),
          DatasetOp.stateful(
              "ShuffleAndRepeatDatasetV2(input_dataset: variant, buffer_size: int64, seed: int64,"
                  + " seed2: int64, count: int64, seed_generator: resource)",
              in -> repeated(in, shared(in, own(in))),
              RESHUFFLE));

  /** The buffer size that buffers the whole input: TensorFlow's unknown cardinality. */
  private static final long EVERYTHING = UNKNOWN;

  private static ShuffleDataset of(OpArguments in, SeedGenerator seeds) {
    long bufferSize = in.integer("buffer_size");
    if (bufferSize < 1 && bufferSize != EVERYTHING) {
      throw in.invalid(
          "buffer_size must be greater than zero, or -2 for all elements, and is %d", bufferSize);
    }
    return new ShuffleDataset(
        in.dataset("input_dataset"),
        bufferSize == EVERYTHING ? Long.MAX_VALUE / 2 : bufferSize,
        seeds);
  }

  private static RepeatDataset repeated(OpArguments in, SeedGenerator seeds) {
    long count = in.integer("count");
    if (count < 1 && count != -1) {
      throw in.invalid("count must be greater than zero or equal to -1, and is %d", count);
    }
    return new RepeatDataset(of(in, seeds), count, false);
  }

  private static SeedGenerator own(OpArguments in) {
    return new SeedGenerator(Seeds.of(in), in.attrs().bool("reshuffle_each_iteration"));
  }

  private static SeedGenerator shared(OpArguments in, SeedGenerator own) {
    return DatasetResourceOps.resourceOr(in.tensor("seed_generator"), SeedGenerator.class, own);
  }

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new ShuffleIterator(this, context);
  }
}

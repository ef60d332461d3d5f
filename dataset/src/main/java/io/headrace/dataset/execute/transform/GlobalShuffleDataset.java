package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.source.DatasetResourceOps;
import io.headrace.kernels.random.IndexShuffle;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.stream.LongStream;

/**
 * The elements of the input in a random order, without a buffer: each element is read where the
 * permutation says; TensorFlow's order for TensorFlow's seeds. A pass over splits keeps the order
 * of its splits, so that workers together read each element once.
 */
public record GlobalShuffleDataset(DatasetValue input, SeedGenerator seeds)
    implements UnaryDataset {
  public static final Op OP =
      DatasetOp.typed(
              "GlobalShuffleDataset(input_dataset: variant, seed: int64, seed2: int64,"
                  + " seed_generator: resource)",
              "reshuffle_each_iteration: bool = true")
          .stateful()
          .remark(
              "Under dynamic sharding each element comes once, in the order of the splits;"
                  + " TensorFlow's workers each shuffle and read all elements.")
          .kernel(DatasetKernel.making(GlobalShuffleDataset::of));

  private static GlobalShuffleDataset of(OpArguments in) {
    DatasetValue input = in.dataset("input_dataset");
    checkRandomAccess(input);
    if (input.cardinality() <= 0) {
      throw StatusException.invalidArgument(
          "`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got"
              + " cardinality %d for dataset %s",
          input.cardinality(), input.getClass().getSimpleName());
    }
    SeedGenerator own =
        new SeedGenerator(Seeds.of(in), in.attrs().bool("reshuffle_each_iteration"));
    return new GlobalShuffleDataset(
        input,
        DatasetResourceOps.resourceOr(in.tensor("seed_generator"), SeedGenerator.class, own));
  }

  private static void checkRandomAccess(DatasetValue input) {
    try {
      var _ = input.select(RowIndices.NONE);
    } catch (StatusException e) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "`global_shuffle` requires all upstream transformations be compatible with random access."
              + " Got: FAILED_PRECONDITION: "
              + e.message(),
          e);
    }
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return new Selected(this, rows);
  }

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    long rows = input.cardinality();
    return context.splits().isEmpty()
        ? shuffled(() -> LongStream.range(0, rows), context)
        : context.open(input);
  }

  /** A pass over the shuffled elements at {@code rows}. */
  private ChunkIterator shuffled(RowIndices rows, IteratorContext context) {
    Seeds first = seeds.next(context.random());
    Seeds second = seeds.next(context.random());
    IndexShuffle shuffle =
        new IndexShuffle(
            (int) first.seed(),
            (int) first.seed2(),
            (int) second.seed(),
            IndexShuffle.GLOBAL_ROUNDS,
            input.cardinality() - 1);
    return context.open(input.select(rows.map(shuffle::at)));
  }

  /** The shuffled elements at some indices; each pass shuffles again, if the shuffle does. */
  private record Selected(GlobalShuffleDataset shuffle, RowIndices rows) implements UnaryDataset {
    @Override
    public DatasetValue input() {
      return shuffle;
    }

    @Override
    public ChunkIterator iterator(IteratorContext context) {
      return shuffle.shuffled(rows, context);
    }
  }
}

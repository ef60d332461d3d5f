package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FlatMappingDataset;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.Parallelism.Order;
import io.headrace.dataset.execute.pass.PrefetchProducer;
import io.headrace.dataset.execute.pass.SequentialInnerPasses;
import io.headrace.runtime.op.Op;
import java.util.List;

/**
 * The elements of the datasets that a function returns for the input's elements: {@code
 * blockLength} of each in turn, from {@code cycleLength} datasets at a time.
 */
public record InterleaveDataset(
    DatasetValue input,
    CapturedFunction function,
    ElementSpec spec,
    long cycleLength,
    long blockLength,
    Ahead ahead)
    implements FlatMappingDataset {
  /**
   * The work done ahead of the consumer.
   *
   * @param parallelism the number of datasets read in parallel
   * @param bufferRows the rows of each dataset that are read ahead, or {@link
   *     PrefetchProducer#AUTOTUNE}
   * @param datasets the number of datasets started before their turn
   */
  public record Ahead(Parallelism parallelism, long bufferRows, long datasets) {
    public static final Ahead NONE = new Ahead(Parallelism.NONE, 0, 0);
  }

  private static final String INPUTS =
      "(input_dataset: variant, other_arguments: [Targuments], cycle_length: int64,"
          + " block_length: int64";
  private static final String DETERMINISTIC = "deterministic: string = 'default'";

  public static final List<Op> OPS =
      List.of(
          op("InterleaveDataset" + INPUTS + ")", _ -> Ahead.NONE),
          op(
              "ParallelInterleaveDatasetV2" + INPUTS + ", num_parallel_calls: int64)",
              in -> tuned(Parallelism.ofSloppy(in, in.attrs().bool("sloppy"))),
              "sloppy: bool = false"),
          op(
              "ParallelInterleaveDatasetV3" + INPUTS + ", num_parallel_calls: int64)",
              in -> tuned(Parallelism.of(in)),
              DETERMINISTIC),
          op(
              "ParallelInterleaveDatasetV4"
                  + INPUTS
                  + ", buffer_output_elements: int64, prefetch_input_elements: int64,"
                  + " num_parallel_calls: int64)",
              in -> buffered(in, Parallelism.of(in)),
              DETERMINISTIC),
          op(
              "LegacyParallelInterleaveDatasetV2"
                  + INPUTS
                  + ", buffer_output_elements: int64, prefetch_input_elements: int64)",
              in -> buffered(in, asManyAsCycle(in, Parallelism.order(in))),
              DETERMINISTIC),
          op(
              "ParallelInterleaveDataset"
                  + INPUTS
                  + ", sloppy: bool, buffer_output_elements: int64,"
                  + " prefetch_input_elements: int64)",
              in ->
                  buffered(in, asManyAsCycle(in, in.bool("sloppy") ? Order.SLOPPY : Order.KEPT))));

  /** Reads the parameters of prefetching from a node's arguments. */
  private interface AheadMaker {
    Ahead of(OpArguments in);
  }

  private static Op op(String signature, AheadMaker ahead, String... attrs) {
    return DatasetOp.of(
        signature,
        in -> of(in, ahead.of(in)),
        DatasetOp.join(attrs, "f: func", "Targuments: list(type)"));
  }

  private static InterleaveDataset of(OpArguments in, Ahead ahead) {
    long cycleLength = in.integer("cycle_length");
    if (cycleLength < 1 && cycleLength != Parallelism.AUTOTUNE) {
      throw in.invalid("cycle_length must be greater than zero, and is %d", cycleLength);
    }
    return new InterleaveDataset(
        in.dataset("input_dataset"),
        in.function("f", "other_arguments"),
        in.spec(),
        cycleLength,
        in.positive("block_length"),
        ahead);
  }

  private static Ahead tuned(Parallelism parallelism) {
    return new Ahead(parallelism, PrefetchProducer.AUTOTUNE, 0);
  }

  private static Ahead buffered(OpArguments in, Parallelism parallelism) {
    long bufferRows = in.integer("buffer_output_elements");
    long datasets = in.integer("prefetch_input_elements");
    if (bufferRows < 1 && bufferRows != PrefetchProducer.AUTOTUNE) {
      throw in.invalid("buffer_output_elements must be greater than zero, and is %d", bufferRows);
    }
    if (datasets < 0 && datasets != Parallelism.AUTOTUNE) {
      throw in.invalid("prefetch_input_elements must be at least zero, and is %d", datasets);
    }
    return new Ahead(parallelism, bufferRows, Math.max(0, datasets));
  }

  private static Parallelism asManyAsCycle(OpArguments in, Order order) {
    return new Parallelism(Math.max(1, in.integer("cycle_length")), order);
  }

  /** The number of datasets that a pass in {@code context} reads in turn. */
  int cycle(IteratorContext context) {
    return cycleLength == Parallelism.AUTOTUNE
        ? context.parallelism()
        : (int) Math.min(cycleLength, 1 << 16);
  }

  @Override
  public String iteratorName() {
    return ahead.parallelism().isNone() ? "Interleave" : "ParallelInterleaveV4";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    if (ahead.parallelism().isNone() || changesResources()) {
      return new InterleaveIterator(
          new SequentialInnerPasses(context.open(input), function.open(context), context),
          cycle(context),
          blockLength,
          false);
    }
    return ParallelInnerPasses.open(this, context);
  }
}

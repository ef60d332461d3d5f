package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FunctionDataset;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.runtime.op.Op;
import java.util.List;

/** The results of a function of the input's elements. */
public record MapDataset(
    DatasetValue input,
    CapturedFunction function,
    ElementSpec spec,
    boolean preservesCardinality,
    Parallelism parallelism)
    implements FunctionDataset {
  private static final String[] COMMON = {
    "f: func",
    "Targuments: list(type)",
    "use_inter_op_parallelism: bool = true",
    "preserve_cardinality: bool = false"
  };

  public static final List<Op> OPS =
      List.of(
          DatasetOp.of(
              "MapDataset(input_dataset: variant, other_arguments: [Targuments])",
              in -> of(in, Parallelism.NONE),
              DatasetOp.join(COMMON, "force_synchronous: bool = false")),
          DatasetOp.of(
              "ParallelMapDataset(input_dataset: variant, other_arguments: [Targuments],"
                  + " num_parallel_calls: int32)",
              in -> of(in, Parallelism.ofSloppy(in, in.attrs().bool("sloppy"))),
              DatasetOp.join(COMMON, "sloppy: bool = false")),
          DatasetOp.of(
              "ParallelMapDatasetV2(input_dataset: variant, other_arguments: [Targuments],"
                  + " num_parallel_calls: int64)",
              in -> of(in, Parallelism.of(in)),
              DatasetOp.join(
                  COMMON,
                  "deterministic: string = 'default'",
                  "use_unbounded_threadpool: bool = false")));

  private static MapDataset of(OpArguments in, Parallelism parallelism) {
    return new MapDataset(
        in.dataset("input_dataset"),
        in.function("f", "other_arguments"),
        in.spec(),
        in.attrs().bool("preserve_cardinality"),
        parallelism);
  }

  @Override
  public long cardinality() {
    return preservesCardinality ? input.cardinality() : UNKNOWN;
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return new MapDataset(input.select(rows), function, spec, preservesCardinality, parallelism);
  }

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public String iteratorName() {
    return parallelism.isNone() ? "Map" : "ParallelMapV2";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    // The order in which a stateful function sees its rows is part of its result.
    if (function.isStateful() || goesRowByRow()) {
      return new MapIterator(this, context);
    }
    return parallelism.isNone()
        ? new AdaptiveMapIterator(this, context)
        : ParallelMapIterator.open(this, context);
  }
}

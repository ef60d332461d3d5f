package io.headrace.dispatcher.graph;

import io.headrace.dataset.execute.source.CsvDataset;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.GraphHash;
import java.util.HashSet;
import java.util.Set;

/**
 * Leaves out of a graph's hash what affects a dataset's speed or element order, but not the records
 * its elements are made of: buffers, parallelism, names that only messages have, and the seeds of
 * shuffles and of random ops in functions. So a token stays valid on another machine, and in a
 * program that draws new seeds.
 */
final class TuningOmissions implements GraphHash.Omissions {
  private static final Set<String> TRANSPARENT =
      Set.of("PrefetchDataset", "OptionsDataset", "ModelDataset");

  private static final Set<String> ATTRS =
      Set.of(
          CsvDataset.FIELDS,
          "buffer_size_min",
          "config_proto",
          "deterministic",
          "executor_type",
          "legacy_autotune",
          "preserve_cardinality",
          "reshuffle_each_iteration",
          "seed",
          "seed2",
          "slack_period",
          "sloppy",
          "use_inter_op_parallelism",
          "warm_start");

  private static final Set<String> INPUTS =
      Set.of(
          "block_length",
          "buffer_output_elements",
          "buffer_size",
          "cycle_length",
          "num_parallel_batches",
          "num_parallel_calls",
          "prefetch_input_elements",
          "sloppy");

  @Override
  public boolean isTransparent(NodeDef node) {
    return TRANSPARENT.contains(node.getOp());
  }

  @Override
  public boolean omitsAttr(String name) {
    return ATTRS.contains(name);
  }

  @Override
  public Set<Integer> omittedInputs(NodeDef node) {
    Set<Integer> omitted = new HashSet<>(DatasetInputs.indices(node, INPUTS));
    omitted.addAll(DatasetInputs.shuffleSeeds(node));
    return omitted;
  }
}

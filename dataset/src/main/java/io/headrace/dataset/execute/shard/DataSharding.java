package io.headrace.dataset.execute.shard;

import io.headrace.proto.tensorflow.NodeDef;
import java.util.Set;

/**
 * Divides a dataset by its elements: a shard is put behind all but what only hands elements on.
 *
 * <p>A rebatch at the end is left out, as TensorFlow's rewrite makes it one that changes nothing,
 * for the sizes of batches need not add up any more. It stays where elements are compressed: then
 * it is not at the end for TensorFlow.
 */
final class DataSharding {
  private static final Set<String> BEHIND =
      Set.of("PrefetchDataset", "OptionsDataset", "FinalizeDataset");

  private final GraphRewrite graph;
  private final AutoShard share;

  DataSharding(GraphRewrite graph, AutoShard share) {
    this.graph = graph;
    this.share = share;
  }

  /** NOT_FOUND if there is no dataset at the end. */
  void run() {
    NodeDef before = graph.sink();
    NodeDef input = graph.firstInput(before);
    for (int left = graph.nodes().size(); left > 0 && BEHIND.contains(input.getOp()); left--) {
      before = input;
      input = graph.firstInput(input);
    }
    if (!graph.wasCompressed() && input.getOp().equals("RebatchDatasetV2")) {
      graph.bypass(input);
    }
    graph.insertShardBefore(before, share);
  }
}

package io.headrace.dataset.execute.shard;

import io.headrace.proto.tensorflow.NodeDef;
import java.util.Set;

/**
 * Shards a dataset by elements: inserts a shard at the end, before trailing nodes that only pass
 * elements on.
 *
 * <p>A rebatch at the end is removed: TensorFlow's rewrite turns it into an identity, since batch
 * sizes no longer add up. It stays where the graph compresses elements, because it is then not at
 * the end for TensorFlow.
 */
final class DataSharding {
  private static final Set<String> TRAILING =
      Set.of("PrefetchDataset", "OptionsDataset", "FinalizeDataset");

  private final GraphRewrite graph;
  private final AutoShard share;

  DataSharding(GraphRewrite graph, AutoShard share) {
    this.graph = graph;
    this.share = share;
  }

  /** NOT_FOUND if the graph does not end in a dataset. */
  void run() {
    NodeDef before = graph.sink();
    NodeDef input = graph.firstInput(before);
    for (int left = graph.nodes().size(); left > 0 && TRAILING.contains(input.getOp()); left--) {
      before = input;
      input = graph.firstInput(input);
    }
    if (!graph.wasCompressed() && input.getOp().equals("RebatchDatasetV2")) {
      graph.bypass(input);
    }
    graph.insertShardBefore(before, share);
  }
}

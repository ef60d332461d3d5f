package io.headrace.dataset.execute.shard;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;

/** Fills in the dataset's {@code shard} nodes with {@link AutoShard#SHARD_HINT} shards. */
final class HintSharding {
  private final GraphRewrite graph;
  private final AutoShard share;

  HintSharding(GraphRewrite graph, AutoShard share) {
    this.graph = graph;
    this.share = share;
  }

  void run() {
    for (NodeDef node : graph.nodes()) {
      if (node.getOp().equals("ShardDataset") && node.getInputCount() >= 3 && isHint(node)) {
        graph.replace(
            node.toBuilder()
                .setInput(1, graph.addConstant(share.numWorkers()))
                .setInput(2, graph.addConstant(share.index()))
                .putAttr("require_non_empty", AttrValue.newBuilder().setB(true).build())
                .build());
      }
    }
  }

  private boolean isHint(NodeDef shard) {
    NodeDef shards = graph.node(DatasetGraph.nodeOf(shard.getInput(1)));
    if (!shards.getOp().equals("Const") || !shards.containsAttr("value")) {
      return false;
    }
    Tensor value = TensorProtos.read(shards.getAttrOrThrow("value").getTensor());
    return value.elements() == 1
        && value.dtype().isInteger()
        && value.integer(0) == AutoShard.SHARD_HINT;
  }
}

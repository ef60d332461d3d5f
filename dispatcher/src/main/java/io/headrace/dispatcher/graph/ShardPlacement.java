package io.headrace.dispatcher.graph;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.shard.AutoShard;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.status.StatusException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where static sharding would cut a dataset, found by a rewrite for one of two workers.
 *
 * @param possible whether the policy fits the dataset
 * @param how what each worker makes; if the policy does not fit, why
 */
public record ShardPlacement(boolean possible, String how) {
  private static final String SHARD = "ShardDataset";

  /** The placement for {@code policy}, which must be one of static sharding. */
  public static ShardPlacement of(DatasetGraph dataset, ShardingPolicy policy) {
    return switch (policy) {
      case FILE -> of(dataset, AutoShard.Policy.FILE);
      case DATA -> of(dataset, AutoShard.Policy.DATA);
      case FILE_OR_DATA -> {
        ShardPlacement files = of(dataset, AutoShard.Policy.FILE);
        yield files.possible() ? files : of(dataset, AutoShard.Policy.DATA);
      }
      case HINT -> of(dataset, AutoShard.Policy.HINT);
      case OFF, DYNAMIC, UNRECOGNIZED ->
          throw new IllegalArgumentException(policy + " is no static sharding");
    };
  }

  private static ShardPlacement of(DatasetGraph dataset, AutoShard.Policy policy) {
    DatasetGraph share;
    try {
      share = new AutoShard(policy, 2, 0).rewrite(dataset);
    } catch (StatusException e) {
      return new ShardPlacement(false, e.message());
    }
    return policy == AutoShard.Policy.HINT ? byHint(dataset, share) : by(policy, dataset, share);
  }

  private static ShardPlacement byHint(DatasetGraph dataset, DatasetGraph share) {
    Set<NodeDef> before = new HashSet<>(dataset.graph().getNodeList());
    List<String> filled =
        share.graph().getNodeList().stream()
            .filter(node -> node.getOp().equals(SHARD) && !before.contains(node))
            .map(NodeDef::getName)
            .toList();
    return filled.isEmpty()
        ? new ShardPlacement(
            false,
            "it has no shard(SHARD_HINT, SHARD_HINT), so that each worker would make every element")
        : new ShardPlacement(
            true, "each worker makes its part from " + String.join(", ", filled) + " on");
  }

  private static ShardPlacement by(
      AutoShard.Policy policy, DatasetGraph dataset, DatasetGraph share) {
    Set<String> before =
        dataset.graph().getNodeList().stream().map(NodeDef::getName).collect(Collectors.toSet());
    String behind =
        share.graph().getNodeList().stream()
            .filter(node -> node.getOp().equals(SHARD) && !before.contains(node.getName()))
            .map(node -> "%s (node %s)".formatted(opOf(share, node), inputOf(node)))
            .distinct()
            .collect(Collectors.joining(", "));
    return new ShardPlacement(
        true,
        policy == AutoShard.Policy.FILE
            ? "each worker reads its part of the files, which are divided behind " + behind
            : "each worker makes every element and keeps its part of them, behind " + behind);
  }

  private static String inputOf(NodeDef shard) {
    return DatasetGraph.nodeOf(shard.getInput(0));
  }

  private static String opOf(DatasetGraph share, NodeDef shard) {
    return share.graph().getNodeList().stream()
        .filter(node -> node.getName().equals(inputOf(shard)))
        .map(NodeDef::getOp)
        .findFirst()
        .orElse("an unknown op");
  }
}

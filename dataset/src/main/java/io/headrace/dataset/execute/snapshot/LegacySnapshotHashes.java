package io.headrace.dataset.execute.snapshot;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.GraphHash;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Gives each snapshot of TensorFlow 1 without a name a hash of the graph of its input, by which its
 * folder is found again.
 *
 * <p>The hash is the same in every process that has the pipeline, however its nodes and functions
 * are called. It is none that TensorFlow computes: that one is of the graph which its optimizer
 * makes. A snapshot in a function gets none, since its input may differ from call to call.
 */
public final class LegacySnapshotHashes {
  /** The attr with the hash. */
  static final String HASH = "_headrace_input_hash";

  private LegacySnapshotHashes() {}

  /** A dataset's {@code graph}, with the hashes. */
  public static GraphDef in(GraphDef graph) {
    Predicate<NodeDef> needsHash =
        node -> node.getOp().equals(LegacySnapshotDataset.NAME) && node.getInputCount() > 0;
    if (graph.getNodeList().stream().noneMatch(needsHash)) {
      return graph;
    }
    GraphHash hashes = new GraphHash(graph, (_, _) -> {}, LegacySnapshotHashes::resources);
    GraphDef.Builder with = graph.toBuilder();
    with.getNodeBuilderList().stream()
        .filter(node -> needsHash.test(node.build()))
        .forEach(node -> {
          long hash = hashes.of(node.getInput(0));
          node.putAttr(HASH, AttrValue.newBuilder().setI(hash).build());
        });
    return with.build();
  }

  /** The indices of inputs that are handles, which are called otherwise in each program. */
  private static Set<Integer> resources(NodeDef node) {
    return switch (node.getOp()) {
      case "CacheDatasetV2", "RandomDatasetV2", "ShuffleDatasetV2" -> Set.of(2);
      case "ShuffleDatasetV3" -> Set.of(4);
      case "ShuffleAndRepeatDatasetV2" -> Set.of(5);
      default -> Set.of();
    };
  }
}

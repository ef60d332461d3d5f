package io.headrace.dataset.execute.shard;

import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Shards a dataset by files: walks from the end up every branch to the node that opens files, and
 * inserts a shard of the file names before it. A shuffle of file names moves behind the shard, so
 * that workers with different shuffles never read the same file.
 */
final class FileSharding {
  private static final String ASSERT_CARDINALITY = "AssertCardinalityDataset";

  private static final Pattern READERS =
      anyVersion("ArrayRecord|FixedLengthRecord|RecordIO|SSTable|TextLine|TFRecord");

  private static final Pattern MULTIPLE_INPUTS = anyVersion("Concatenate|Zip");

  private static final Pattern FUNCTIONS =
      anyVersion("(Experimental|Legacy)?ParallelInterleave|FlatMap|Interleave");

  private static final Pattern UNSHARDABLE =
      anyVersion("Generator|Range|SparseTensorsSlice|Tensor|TensorSlice");

  private static final Pattern PASS_THROUGH =
      Pattern.compile(
          "_Retval|Identity|"
              + anyVersion(
                  "AssertNext|Batch|Cache|(Experimental)?MapAndBatch|(Experimental)?ParseExample"
                      + "|(Experimental)?Rebatch|Filter|Finalize|Map|MaxIntraOpParallelism|Model"
                      + "|Optimize|Options|PaddedBatch|ParallelBatch|ParallelMap|Prefetch"
                      + "|PrivateThreadPool|Reduce|Repeat|Shard|ShuffleAndRepeat|Shuffle|Skip|Take"
                      + "|Unbatch|Window"));

  /** In order of search; all shuffles of the first op found are moved. */
  private static final List<String> SHUFFLES =
      List.of("ShuffleDataset", "ShuffleDatasetV2", "ShuffleDatasetV3");

  private final GraphRewrite graph;
  private final AutoShard share;
  private final Set<String> visited = new HashSet<>();
  private final Deque<String> pending = new ArrayDeque<>();

  FileSharding(GraphRewrite graph, AutoShard share) {
    this.graph = graph;
    this.share = share;
  }

  private static Pattern anyVersion(String kinds) {
    return Pattern.compile("(" + kinds + ")Dataset(V\\d+)?");
  }

  private static boolean is(NodeDef node, Pattern ops) {
    return ops.matcher(node.getOp()).matches();
  }

  /** NOT_FOUND if a branch leads to no files. */
  void run() {
    pending.push(graph.sink().getName());
    while (!pending.isEmpty()) {
      String name = pending.pop();
      if (visited.add(name)) {
        visit(graph.node(name));
      }
    }
  }

  private void visit(NodeDef node) {
    if (node.getOp().equals(ASSERT_CARDINALITY)) {
      pending.push(graph.firstInput(node).getName());
      graph.bypass(node);
    } else if (is(node, UNSHARDABLE)) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Found an unshardable source dataset: %s (%s)",
          node.getName(),
          node.getOp());
    } else if (is(node, MULTIPLE_INPUTS)) {
      graph.inputs(node).reversed().forEach(input -> pending.push(input.getName()));
    } else if (is(node, READERS) || opensFiles(node, new HashSet<>())) {
      shardBefore(node);
    } else {
      pending.push(inputOfPassThrough(node));
    }
  }

  private String inputOfPassThrough(NodeDef node) {
    if (!is(node, PASS_THROUGH) && !is(node, FUNCTIONS)) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Did not find a shardable source, walked to a node which is not a dataset: %s (%s)."
              + " Consider either turning off auto-sharding or switching to DATA sharding",
          node.getName(),
          node.getOp());
    }
    return graph.firstInput(node).getName();
  }

  private boolean opensFiles(NodeDef node, Set<String> searched) {
    Optional<FunctionDef> function =
        is(node, FUNCTIONS) || is(node, PASS_THROUGH) ? graph.function(node) : Optional.empty();
    return function
        .filter(f -> searched.add(f.getSignature().getName()))
        .filter(f ->
            f.getNodeDefList().stream()
                .anyMatch(inner ->
                    is(inner, READERS)
                        ? inner.getInputCount() > 0
                        : is(inner, FUNCTIONS) && opensFiles(inner, searched)))
        .isPresent();
  }

  private void shardBefore(NodeDef node) {
    graph.insertShardBefore(node, share);
    NodeDef shard = graph.firstInput(graph.node(node.getName()));
    for (String op : SHUFFLES) {
      List<NodeDef> shuffles = upstream(shard, op);
      if (!shuffles.isEmpty()) {
        shuffles.forEach(shuffle -> graph.bypass(graph.node(shuffle.getName())));
        shuffleBefore(node, shard, shuffles.getLast());
        return;
      }
    }
  }

  /** The nodes of {@code op} upstream of {@code node}, nearest first. */
  private List<NodeDef> upstream(NodeDef node, String op) {
    List<NodeDef> found = new ArrayList<>();
    Set<String> reached = new HashSet<>();
    Deque<NodeDef> next = new ArrayDeque<>(List.of(node));
    while (!next.isEmpty()) {
      for (NodeDef input : graph.inputs(next.poll())) {
        if (reached.add(input.getName())) {
          next.add(input);
          if (input.getOp().equals(op)) {
            found.add(input);
          }
        }
      }
    }
    return found;
  }

  private void shuffleBefore(NodeDef node, NodeDef shard, NodeDef shuffle) {
    graph.insertBefore(
        node,
        shuffle.toBuilder()
            .putAttr(GraphRewrite.OUTPUT_TYPES, shard.getAttrOrThrow(GraphRewrite.OUTPUT_TYPES))
            .putAttr(GraphRewrite.OUTPUT_SHAPES, shard.getAttrOrThrow(GraphRewrite.OUTPUT_SHAPES)));
  }
}

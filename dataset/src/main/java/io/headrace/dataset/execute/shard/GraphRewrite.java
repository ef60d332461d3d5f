package io.headrace.dataset.execute.shard;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.DataType;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A dataset's graph under rewriting. An extra sink node follows the dataset, so that nodes can be
 * inserted at the end as well.
 */
final class GraphRewrite {
  static final String OUTPUT_TYPES = "output_types";
  static final String OUTPUT_SHAPES = "output_shapes";

  private final DatasetGraph dataset;
  private final Map<String, NodeDef> nodes = new LinkedHashMap<>();
  private final Map<String, FunctionDef> functions = new HashMap<>();
  private final String sink;

  GraphRewrite(DatasetGraph dataset) {
    this.dataset = dataset;
    dataset.graph().getNodeList().forEach(node -> nodes.put(node.getName(), node));
    for (FunctionDef function : dataset.graph().getLibrary().getFunctionList()) {
      functions.put(function.getSignature().getName(), function);
    }
    sink =
        add(
            NodeDef.newBuilder()
                .setName("Sink")
                .setOp("Identity")
                .addInput(dataset.sink())
                .build());
  }

  /** The node whose only input is the dataset. */
  NodeDef sink() {
    return node(sink);
  }

  /** Whether the original graph compressed elements, in a map that is no longer part of it. */
  boolean wasCompressed() {
    return dataset.wasCompressed();
  }

  /** A snapshot of all nodes. */
  Collection<NodeDef> nodes() {
    return List.copyOf(nodes.values());
  }

  NodeDef node(String name) {
    NodeDef node = nodes.get(name);
    if (node == null) {
      throw StatusException.invalidArgument("the graph has no node %s, which is used in it", name);
    }
    return node;
  }

  /** The data inputs of {@code node}. */
  List<NodeDef> inputs(NodeDef node) {
    return node.getInputList().stream()
        .filter(input -> !input.startsWith("^"))
        .map(input -> node(DatasetGraph.nodeOf(input)))
        .toList();
  }

  NodeDef firstInput(NodeDef node) {
    if (node.getInputCount() == 0 || node.getInput(0).startsWith("^")) {
      throw StatusException.invalidArgument(
          "node %s (%s) has no inputs", node.getName(), node.getOp());
    }
    return node(DatasetGraph.nodeOf(node.getInput(0)));
  }

  /** The function in the attr {@code f} of {@code node}. */
  Optional<FunctionDef> function(NodeDef node) {
    @Nullable AttrValue f = node.getAttrMap().get("f");
    return f == null ? Optional.empty() : Optional.ofNullable(functions.get(f.getFunc().getName()));
  }

  /** Replaces the node with the name of {@code node}. */
  void replace(NodeDef node) {
    nodes.put(node.getName(), node);
  }

  /** Removes {@code node}; its consumers use its first input instead. */
  void bypass(NodeDef node) {
    String input = node.getInput(0);
    nodes.remove(node.getName());
    nodes.replaceAll((_, user) -> rewired(user, node.getName(), input));
  }

  private static NodeDef rewired(NodeDef user, String from, String to) {
    NodeDef.@Nullable Builder changed = null;
    for (int i = 0; i < user.getInputCount(); i++) {
      String input = user.getInput(i);
      if (DatasetGraph.nodeOf(input).equals(from)) {
        changed = changed == null ? user.toBuilder() : changed;
        changed.setInput(i, input.startsWith("^") ? "^" + DatasetGraph.nodeOf(to) : to);
      }
    }
    return changed == null ? user : changed.build();
  }

  /** Inserts {@code inserted} before {@code node} and sets its first input. */
  void insertBefore(NodeDef node, NodeDef.Builder inserted) {
    NodeDef now = node(node.getName());
    String name = add(inserted.setInput(0, now.getInput(0)).build());
    replace(now.toBuilder().setInput(0, name).build());
  }

  /**
   * Inserts the shard of {@code share} before {@code node}.
   *
   * @throws StatusException NOT_FOUND if the first input of {@code node} is not a dataset
   */
  void insertShardBefore(NodeDef node, AutoShard share) {
    NodeDef upstream = firstInput(node(node.getName()));
    if (!upstream.getOp().contains("Dataset")) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Unable to shard this input. You may need to wrap the inputs to your reader dataset in a"
              + " TensorSliceDataset. Input node is %s (%s)",
          upstream.getName(),
          upstream.getOp());
    }
    NodeDef.Builder shard =
        NodeDef.newBuilder()
            .setName("AutoShard")
            .setOp("ShardDataset")
            .addInput("")
            .addInput(addConstant(share.numWorkers()))
            .addInput(addConstant(share.index()))
            .putAttr("require_non_empty", AttrValue.newBuilder().setB(true).build())
            .putAttr(OUTPUT_TYPES, typesOf(upstream))
            .putAttr(OUTPUT_SHAPES, shapesOf(upstream));
    insertBefore(node, shard);
  }

  /** Datasets that read files have no attr for their types: they are strings. */
  private static AttrValue typesOf(NodeDef dataset) {
    AttrValue.Builder strings = AttrValue.newBuilder();
    strings.getListBuilder().addType(DataType.DT_STRING);
    return dataset.getAttrOrDefault(
        OUTPUT_TYPES, dataset.getAttrOrDefault("Toutput_types", strings.build()));
  }

  private static AttrValue shapesOf(NodeDef dataset) {
    AttrValue.Builder unknown = AttrValue.newBuilder();
    unknown.getListBuilder().addShape(TensorShapeProto.newBuilder().setUnknownRank(true));
    return dataset.getAttrOrDefault(OUTPUT_SHAPES, unknown.build());
  }

  /** Adds a scalar constant; returns its name. */
  String addConstant(long value) {
    return add(
        NodeDef.newBuilder()
            .setName("AutoShard/value")
            .setOp("Const")
            .putAttr("dtype", AttrValue.newBuilder().setType(DataType.DT_INT64).build())
            .putAttr(
                "value",
                AttrValue.newBuilder().setTensor(TensorProtos.write(Tensor.scalar(value))).build())
            .build());
  }

  /** Adds a node, under another name if its own is taken; returns the name. */
  private String add(NodeDef node) {
    String name = node.getName();
    for (int n = 1; nodes.containsKey(name); n++) {
      name = node.getName() + "_" + n;
    }
    nodes.put(name, node.toBuilder().setName(name).build());
    return name;
  }

  /** The rewritten dataset. */
  DatasetGraph result() {
    String root = sink().getInput(0);
    List<NodeDef> all = new ArrayList<>(nodes.values());
    all.remove(sink());
    GraphDef graph = dataset.graph().toBuilder().clearNode().addAllNode(all).build();
    return new DatasetGraph(graph, root, dataset.wasCompressed());
  }
}

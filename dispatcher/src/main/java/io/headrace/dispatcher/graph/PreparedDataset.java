package io.headrace.dispatcher.graph;

import com.google.protobuf.ByteString;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import java.util.List;
import java.util.Set;

/**
 * A dataset's graph, prepared for workers as TensorFlow prepares it: hash tables are shared by
 * their node's name, and device placements are cleared.
 *
 * @param parsed the prepared DatasetDef
 * @param def the same, serialized
 * @param opsInUse each op that its result needs, once
 */
public record PreparedDataset(DatasetDef parsed, ByteString def, List<OpUse> opsInUse) {
  private static final Set<String> TABLES =
      Set.of(
          "HashTable",
          "HashTableV2",
          "MutableHashTable",
          "MutableHashTableV2",
          "MutableDenseHashTable",
          "MutableDenseHashTableV2",
          "MutableHashTableOfTensors",
          "MutableHashTableOfTensorsV2");
  private static final String SHARED_BY_NODE_NAME = "use_node_name_sharing";

  /**
   * Prepares {@code dataset}, without validating its graph; the worker that runs the graph does.
   */
  public static PreparedDataset of(DatasetDef dataset) {
    GraphDef.Builder graph = dataset.getGraph().toBuilder();
    for (int i = 0; i < graph.getNodeCount(); i++) {
      NodeDef node = graph.getNode(i);
      if (TABLES.contains(node.getOp())) {
        graph.setNode(i, shareByNodeName(node));
      } else if (!node.getDevice().isEmpty()) {
        graph.setNode(i, node.toBuilder().clearDevice());
      }
    }
    clearFunctionDevices(graph);
    GraphDef prepared = graph.build();
    DatasetDef def = dataset.toBuilder().setGraph(prepared).build();
    return new PreparedDataset(def, def.toByteString(), OpsInUse.of(prepared));
  }

  private static NodeDef shareByNodeName(NodeDef table) {
    return table.toBuilder()
        .clearDevice()
        .putAttr(SHARED_BY_NODE_NAME, AttrValue.newBuilder().setB(true).build())
        .build();
  }

  private static void clearFunctionDevices(GraphDef.Builder graph) {
    for (int i = 0; i < graph.getLibrary().getFunctionCount(); i++) {
      FunctionDef function = graph.getLibrary().getFunction(i);
      if (function.getNodeDefList().stream().anyMatch(node -> !node.getDevice().isEmpty())) {
        graph.getLibraryBuilder().setFunction(i, withoutDevices(function));
      }
    }
  }

  private static FunctionDef withoutDevices(FunctionDef function) {
    FunctionDef.Builder builder = function.toBuilder();
    builder.getNodeDefBuilderList().forEach(NodeDef.Builder::clearDevice);
    return builder.build();
  }
}

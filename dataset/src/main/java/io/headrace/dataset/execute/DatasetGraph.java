package io.headrace.dataset.execute;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.snapshot.LegacySnapshotHashes;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.execute.GraphRunner;
import io.headrace.runtime.graph.LegacyFunctionCalls;
import io.headrace.runtime.graph.UnsupportedOps;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A dataset as clients register it: a graph whose sink is the input of its last {@code _Retval}
 * node. Immutable.
 *
 * <p>Stock clients end their graphs in a map that compresses each element. {@link #read} removes
 * that map, so that elements stay plain columns, and {@link #wasCompressed} records that it was
 * there; the sender of the elements compresses them if the reader asked for it.
 *
 * @param graph the graph without the map
 * @param sink the node that yields the dataset
 * @param wasCompressed whether the graph compressed its elements
 */
public record DatasetGraph(GraphDef graph, String sink, boolean wasCompressed) {
  private static final Set<String> MAPS = Set.of("ParallelMapDatasetV2", "MapDataset");

  /**
   * Finds the sink of {@code graph}, removes the compressing map, and writes calls of TensorFlow
   * 1's functions as PartitionedCalls.
   *
   * @throws StatusException NOT_FOUND if the graph has no sink
   */
  public static DatasetGraph read(GraphDef graph) {
    String sink = sinkOf(graph);
    Optional<String> plain = inputOfCompression(graph, sink);
    return new DatasetGraph(
        LegacyFunctionCalls.written(graph, OpRegistry.standard()),
        plain.orElse(sink),
        plain.isPresent());
  }

  private static String sinkOf(GraphDef graph) {
    for (int i = graph.getNodeCount() - 1; i >= 0; i--) {
      NodeDef node = graph.getNode(i);
      if (node.getOp().equals("_Retval") && node.getInputCount() > 0) {
        return node.getInput(0);
      }
    }
    throw new StatusException(
        StatusCode.NOT_FOUND, "Failed to find a _Retval op in the given dataset");
  }

  private static Optional<String> inputOfCompression(GraphDef graph, String sink) {
    return graph.getNodeList().stream()
        .filter(node -> node.getName().equals(nodeOf(sink)))
        .filter(node -> MAPS.contains(node.getOp()) && node.getInputCount() > 0)
        .filter(node ->
            compresses(
                graph,
                node.getAttrOrDefault("f", AttrValue.getDefaultInstance()).getFunc().getName()))
        .map(node -> node.getInput(0))
        .findFirst();
  }

  private static boolean compresses(GraphDef graph, String function) {
    return graph.getLibrary().getFunctionList().stream()
        .filter(f -> f.getSignature().getName().equals(function))
        .map(FunctionDef::getNodeDefList)
        .flatMap(List::stream)
        .anyMatch(node -> node.getOp().equals("CompressElement"));
  }

  /** The name of the node in {@code endpoint}, an entry of {@code NodeDef.input}. */
  public static String nodeOf(String endpoint) {
    int begin = endpoint.startsWith("^") ? 1 : 0;
    int colon = endpoint.indexOf(':');
    return endpoint.substring(begin, colon < 0 ? endpoint.length() : colon);
  }

  /**
   * Checks that {@code registry} has every op that the dataset needs, in the graph and in its
   * functions.
   *
   * @throws StatusException UNIMPLEMENTED, naming op and node, if an op is missing
   */
  public void check(OpRegistry registry) {
    UnsupportedOps.check(graph, sink, registry);
  }

  /**
   * Checks the device pins of all nodes, in the graph and in its functions.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code devices} lacks a pinned device
   */
  public void checkPins(RemoteDevices devices) {
    UnsupportedOps.pinsOf(graph, sink).forEach(devices::check);
  }

  /** The names of all ops that the dataset needs, in the graph and in its functions. */
  public Set<String> ops() {
    return UnsupportedOps.opsOf(graph, sink);
  }

  /**
   * Builds the dataset; reads no element.
   *
   * @throws StatusException UNIMPLEMENTED, naming op and node, if {@code registry} lacks an op;
   *     INVALID_ARGUMENT, naming the node, if the graph is malformed
   */
  public DatasetValue load(OpRegistry registry, StepContext step) {
    check(registry);
    Tensor value =
        GraphRunner.run(LegacySnapshotHashes.in(graph), List.of(sink), registry, step).getFirst();
    if (value.dtype() == DataType.VARIANT
        && value.elements() == 1
        && value.reference(0) instanceof DatasetValue dataset) {
      return dataset;
    }
    throw StatusException.invalidArgument(
        "node %s must be a dataset, and is %s", nodeOf(sink), value.typeAndShape());
  }
}

package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.GradientDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.VersionDef;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * One version of a session's graph, with a device for each node. Immutable.
 *
 * @param graph the nodes
 * @param devices the device of each node
 * @param library the functions
 * @param versions the producer versions of the graph
 * @param version the number of extensions
 * @param lowered the outputs of lowered nodes, each with its replacement
 */
public record SessionGraph(
    FlowGraph graph,
    List<ClusterDevice> devices,
    FunctionDefLibrary library,
    VersionDef versions,
    long version,
    Map<TensorName, TensorName> lowered) {
  /** The GraphDef version of TensorFlow 2.21. */
  private static final int GRAPH_VERSION = 2474;

  /**
   * The names that clients may use; a leading underscore is reserved for TensorFlow and for
   * lowering.
   */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9.][A-Za-z0-9_./>-]*");

  /**
   * The environment of lowering and placement.
   *
   * @param ops the op registry
   * @param devices the devices of the session
   * @param isSoft whether placement is soft: device types and ids that do not exist are dropped
   */
  public record Setting(OpRegistry ops, DeviceSet devices, boolean isSoft) {}

  /** The graph that a session is created with. */
  public static SessionGraph create(GraphDef definition, Setting setting) {
    SessionGraph empty =
        new SessionGraph(
            FlowGraph.EMPTY,
            List.of(),
            FunctionDefLibrary.getDefaultInstance(),
            definition.getVersions(),
            -1,
            Map.of());
    return empty.extended(definition, setting);
  }

  /**
   * This graph with the nodes and functions of {@code more}.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code more} is malformed, repeats the name of a
   *     node, or can't be placed; NOT_FOUND for an unregistered op
   */
  public SessionGraph extended(GraphDef more, Setting setting) {
    checkVersion(more.getVersions());
    for (NodeDef node : more.getNodeList()) {
      checkName(node);
    }
    FunctionDefLibrary functions = merged(more.getLibrary());
    Lowering.Lowered extended = Lowering.lower(this, more.getNodeList(), functions, setting);
    List<ClusterDevice> placed =
        Placer.place(extended.graph(), devices, setting.devices(), setting.isSoft());
    return new SessionGraph(
        extended.graph(), placed, functions, versions, version + 1, extended.outputs());
  }

  /** The source of {@code tensor}: the replacement if it is an output of a lowered node. */
  public TensorName source(TensorName tensor) {
    return source(tensor, lowered);
  }

  /** The source of {@code tensor}, given the replacements of lowered nodes' outputs. */
  static TensorName source(TensorName tensor, Map<TensorName, TensorName> outputs) {
    TensorName at = tensor;
    for (TensorName next = outputs.get(at); next != null; next = outputs.get(at)) {
      at = next;
    }
    return at;
  }

  private static void checkVersion(VersionDef versions) {
    if (versions.getMinConsumer() > GRAPH_VERSION) {
      throw StatusException.invalidArgument(
          "GraphDef min consumer version %d above current version %d for TensorFlow 2.21.0."
              + " Please upgrade.",
          versions.getMinConsumer(), GRAPH_VERSION);
    }
  }

  private void checkName(NodeDef node) {
    if (!NAME.matcher(node.getName()).matches()) {
      throw StatusException.invalidArgument(
          "Illegal op name '%s': it must be letters, digits and . _ - / >, and begin with one of"
              + " the first three",
          node.getName());
    }
    if (graph.find(node.getName()) != null) {
      throw StatusException.invalidArgument(
          "GraphDef argument to Extend includes node '%s', which was created by a previous call to"
              + " Create or Extend in this session.",
          node.getName());
    }
  }

  private FunctionDefLibrary merged(FunctionDefLibrary more) {
    Map<String, FunctionDef> functions = new LinkedHashMap<>();
    library.getFunctionList().forEach(f -> functions.put(f.getSignature().getName(), f));
    for (FunctionDef function : more.getFunctionList()) {
      String name = function.getSignature().getName();
      FunctionDef known = functions.putIfAbsent(name, function);
      if (known != null && !known.equals(function)) {
        throw StatusException.invalidArgument(
            "Cannot add function '%s' because a different function with the same name already"
                + " exists.",
            name);
      }
    }
    return library.toBuilder()
        .clearFunction()
        .addAllFunction(functions.values())
        .clearGradient()
        .addAllGradient(mergedGradients(more))
        .build();
  }

  private Collection<GradientDef> mergedGradients(FunctionDefLibrary more) {
    Map<String, GradientDef> gradients = new LinkedHashMap<>();
    library.getGradientList().forEach(g -> gradients.put(g.getFunctionName(), g));
    for (GradientDef gradient : more.getGradientList()) {
      String name = gradient.getFunctionName();
      GradientDef known = gradients.putIfAbsent(name, gradient);
      if (known != null && !known.equals(gradient)) {
        throw StatusException.invalidArgument(
            "Cannot assign gradient function '%s' to '%s' because it already has gradient function"
                + " '%s'",
            gradient.getGradientFunc(), name, known.getGradientFunc());
      }
    }
    return gradients.values();
  }
}

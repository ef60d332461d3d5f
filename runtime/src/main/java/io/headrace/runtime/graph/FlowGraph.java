package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A complete graph in node order, validated: ops are known, inputs exist and have the declared
 * dtypes. Unlike a {@link PrunedGraph} it may have the cycles of TensorFlow 1's while loops,
 * through NextIteration. Immutable.
 */
public final class FlowGraph {
  /** A graph without nodes. */
  public static final FlowGraph EMPTY = new FlowGraph(List.of(), List.of(), Map.of());

  private final List<Node> nodes;
  private final List<NodeDef> definitions;
  private final Map<String, Integer> indices;

  private FlowGraph(List<Node> nodes, List<NodeDef> definitions, Map<String, Integer> indices) {
    this.nodes = nodes;
    this.definitions = definitions;
    this.indices = indices;
  }

  /** The nodes; inputs are indices into this list. */
  public List<Node> nodes() {
    return nodes;
  }

  /** The definition of node {@code index} in its GraphDef. */
  public NodeDef definition(int index) {
    return definitions.get(index);
  }

  /** The index of the node {@code name}; null if the graph does not have it. */
  public @Nullable Integer find(String name) {
    return indices.get(name);
  }

  /**
   * This graph with more nodes, which may take inputs from existing nodes and from each other.
   *
   * @param added the nodes; their names must be new
   * @param ops finds the op of a node, or throws
   * @throws StatusException INVALID_ARGUMENT naming the malformed node
   */
  public FlowGraph with(List<NodeDef> added, Function<NodeDef, Op> ops) {
    return new Extension(this, added).extended(ops);
  }

  private static final class Extension {
    private final List<Node> nodes;
    private final List<NodeDef> definitions;
    private final Map<String, Integer> indices;
    private final List<NodeDef> added;

    Extension(FlowGraph graph, List<NodeDef> added) {
      this.nodes = new ArrayList<>(graph.nodes);
      this.definitions = new ArrayList<>(graph.definitions);
      this.indices = new HashMap<>(graph.indices);
      this.added = added;
    }

    FlowGraph extended(Function<NodeDef, Op> ops) {
      int first = nodes.size();
      for (NodeDef definition : added) {
        if (indices.put(definition.getName(), nodes.size()) != null) {
          throw StatusException.invalidArgument("Node '%s' is not unique", definition.getName());
        }
        nodes.add(unconnected(definition, ops.apply(definition)));
        definitions.add(definition);
      }
      for (int i = first; i < nodes.size(); i++) {
        nodes.set(i, connected(nodes.get(i), definitions.get(i)));
      }
      CycleCheck.check(nodes, first);
      return new FlowGraph(List.copyOf(nodes), List.copyOf(definitions), Map.copyOf(indices));
    }

    private static Node unconnected(NodeDef definition, Op op) {
      Attrs attrs = new Attrs(definition.getName(), op, definition.getAttrMap());
      return new Node(
          definition.getName(),
          op,
          attrs,
          List.of(),
          List.of(),
          GraphReader.types(op.inputs(), attrs),
          GraphReader.types(op.outputs(), attrs),
          definition.getDevice());
    }

    private Node connected(Node node, NodeDef definition) {
      List<Endpoint> inputs = new ArrayList<>();
      List<Integer> controls = new ArrayList<>();
      for (String input : definition.getInputList()) {
        if (input.startsWith("^")) {
          controls.add(index(node, input.substring(1), input));
        } else {
          inputs.add(endpoint(node, input));
        }
      }
      Node connected =
          new Node(
              node.name(),
              node.op(),
              node.attrs(),
              List.copyOf(inputs),
              List.copyOf(controls),
              node.inputTypes(),
              node.outputTypes(),
              node.device());
      checkInputs(connected);
      return connected;
    }

    private int index(Node user, String name, String input) {
      Integer index = indices.get(name);
      if (index == null) {
        throw StatusException.invalidArgument(
            "Node '%s': Unknown input node '%s'", user.name(), input);
      }
      return index;
    }

    private Endpoint endpoint(Node user, String text) {
      TensorName name = TensorName.parse(text);
      int index = index(user, name.node(), text);
      int outputs = nodes.get(index).outputTypes().size();
      if (name.output() >= outputs) {
        throw StatusException.invalidArgument(
            "Node '%s': Connecting to invalid output %d of source node %s which has %d outputs.",
            user.name(), name.output(), name.node(), outputs);
      }
      return new Endpoint(index, name.output());
    }

    private void checkInputs(Node node) {
      if (node.inputs().size() != node.inputTypes().size()) {
        throw StatusException.invalidArgument(
            "NodeDef '%s' expected inputs %s do not match %d inputs specified; Op '%s'",
            node.name(), node.inputTypes(), node.inputs().size(), node.op().name());
      }
      for (int i = 0; i < node.inputs().size(); i++) {
        Endpoint input = node.inputs().get(i);
        Node from = nodes.get(input.node());
        DataType given = from.outputTypes().get(input.output());
        boolean missesRef = node.isRefInput(i) && !from.isRefOutput(input.output());
        if (given != node.inputTypes().get(i) || missesRef) {
          throw StatusException.invalidArgument(
              "Input %d of node %s was passed %s from %s:%d incompatible with expected %s%s.",
              i,
              node.name(),
              given.tfName(),
              from.name(),
              input.output(),
              node.inputTypes().get(i).tfName(),
              node.isRefInput(i) ? "_ref" : "");
        }
      }
    }
  }
}

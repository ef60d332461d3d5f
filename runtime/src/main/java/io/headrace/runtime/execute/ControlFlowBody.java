package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A part of a function as a graph of its own, for {@link GraphExecutor#prepareBody}: an {@code
 * _Arg} for each input and a {@code _Retval} for each result.
 *
 * @param nodes the nodes, which may form loops
 * @param returned by output, the index of the function's result that it is
 */
record ControlFlowBody(List<Node> nodes, List<Integer> returned) {
  private static final Op RESULT =
      Op.define("_Retval(input: T)").attrs("T: type", "index: int").passesTensors().structural();

  /**
   * The nodes {@code members} of {@code graph}.
   *
   * @param inputs the endpoints outside of the part that it takes
   * @param returned the indices of the results that it computes
   */
  static ControlFlowBody of(
      PrunedGraph graph, List<Integer> members, List<Endpoint> inputs, List<Integer> returned) {
    return new ControlFlowBody(new Copy(graph, members, inputs).nodes(returned), returned);
  }

  /** The nodes, with {@code prefix} before their names. */
  List<Node> nodes(String prefix) {
    return prefix.isEmpty() ? nodes : nodes.stream().map(node -> renamed(prefix, node)).toList();
  }

  private static Node renamed(String prefix, Node node) {
    return new Node(
        prefix + node.name(),
        node.op(),
        node.attrs(),
        node.inputs(),
        node.controlInputs(),
        node.inputTypes(),
        node.outputTypes(),
        node.device());
  }

  private static final class Copy {
    private final PrunedGraph graph;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Endpoint, Endpoint> arguments = new HashMap<>();

    /** By index in the function, the index of a member in the copy. */
    private final Map<Integer, Integer> indices = new HashMap<>();

    Copy(PrunedGraph graph, List<Integer> members, List<Endpoint> inputs) {
      this.graph = graph;
      for (Endpoint input : inputs) {
        arguments.put(input, new Endpoint(nodes.size(), 0));
        DataType type = graph.typeOf(input);
        nodes.add(
            boundary("_Arg", PrunedGraph.ARGUMENT, nodes.size(), List.of(), type, List.of(type)));
      }
      for (int member : members) {
        indices.put(member, inputs.size() + indices.size());
      }
      members.forEach(member -> nodes.add(copy(graph.nodes().get(member))));
    }

    List<Node> nodes(List<Integer> returned) {
      for (int index : returned) {
        Endpoint result = graph.results().get(index);
        nodes.add(
            boundary(
                "_Retval", RESULT, index, List.of(moved(result)), graph.typeOf(result), List.of()));
      }
      return List.copyOf(nodes);
    }

    private static Node boundary(
        String name,
        Op op,
        int index,
        List<Endpoint> inputs,
        DataType type,
        List<DataType> outputs) {
      Map<String, AttrValue> attrs =
          Map.of(
              "T", AttrValue.newBuilder().setTypeValue(type.number()).build(),
              "index", AttrValue.newBuilder().setI(index).build());
      String unique = name + index;
      return new Node(
          unique,
          op,
          new Attrs(unique, op, attrs),
          inputs,
          List.of(),
          inputs.isEmpty() ? List.of() : List.of(type),
          outputs,
          "");
    }

    private Endpoint moved(Endpoint endpoint) {
      Integer index = indices.get(endpoint.node());
      return index == null
          ? Objects.requireNonNull(arguments.get(endpoint))
          : new Endpoint(index, endpoint.output());
    }

    private Node copy(Node node) {
      return new Node(
          node.name(),
          node.op(),
          node.attrs(),
          node.inputs().stream().map(this::moved).toList(),
          node.controlInputs().stream().map(indices::get).filter(Objects::nonNull).toList(),
          node.inputTypes(),
          node.outputTypes(),
          node.device());
    }
  }
}

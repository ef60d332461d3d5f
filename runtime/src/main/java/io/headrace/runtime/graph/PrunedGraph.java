package io.headrace.runtime.graph;

import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * The nodes that a set of results needs, checked: every op is known, every input exists and has the
 * dtype that its op declares, and nothing depends on itself. Immutable.
 *
 * @param nodes in an order in which each comes after its inputs
 * @param arguments the nodes that stand for a function's arguments, in order; none in a plain graph
 * @param results where the results come from
 * @param argumentTypes the dtypes of all arguments, those that are not needed among them
 */
public record PrunedGraph(
    List<Node> nodes,
    List<Integer> arguments,
    List<Endpoint> results,
    List<DataType> argumentTypes) {
  /** Stands for an argument of a function: attr {@code index} says which. */
  public static final Op ARGUMENT =
      Op.define("_Arg() -> output: T").attrs("T: type", "index: int").structural();

  /** The index of an argument that no result needs, in {@link #arguments}. */
  public static final int UNUSED = -1;

  /** Makes the lists immutable. */
  public PrunedGraph {
    nodes = List.copyOf(nodes);
    arguments = List.copyOf(arguments);
    results = List.copyOf(results);
    argumentTypes = List.copyOf(argumentTypes);
  }

  /** The dtype of what {@code endpoint} gives. */
  public DataType typeOf(Endpoint endpoint) {
    return nodes.get(endpoint.node()).outputTypes().get(endpoint.output());
  }

  /** The dtypes of the results. */
  public List<DataType> resultTypes() {
    return results.stream().map(this::typeOf).toList();
  }

  /** The index of the first tensor of the output {@code argument} of a node. */
  static int firstOutput(Op op, Attrs attrs, String argument) {
    int first = 0;
    for (ArgSpec output : op.outputs()) {
      if (output.name().equals(argument)) {
        return first;
      }
      first += output.count(attrs);
    }
    return -1;
  }
}

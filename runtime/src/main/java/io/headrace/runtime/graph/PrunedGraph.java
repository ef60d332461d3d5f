package io.headrace.runtime.graph;

import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * The nodes on which a set of results depends, validated: ops are known, inputs exist and have the
 * declared dtypes, and there are no cycles except those that close a while loop of TensorFlow 1,
 * from NextIteration to Merge. Immutable.
 *
 * @param nodes the nodes, in topological order but for the inputs that close a loop
 * @param arguments the nodes of a function's arguments, in order; empty for a plain graph
 * @param results the sources of the results
 * @param argumentTypes the dtypes of all arguments, including unused ones
 */
public record PrunedGraph(
    List<Node> nodes,
    List<Integer> arguments,
    List<Endpoint> results,
    List<DataType> argumentTypes) {
  /** The op of an argument of a function; attr {@code index} is the argument's position. */
  public static final Op ARGUMENT =
      Op.define("_Arg() -> output: T").attrs("T: type", "index: int").runsOnHost().structural();

  /** The index, in {@link #arguments}, of an argument that no result depends on. */
  public static final int UNUSED = -1;

  /** Makes the lists immutable. */
  public PrunedGraph {
    nodes = List.copyOf(nodes);
    arguments = List.copyOf(arguments);
    results = List.copyOf(results);
    argumentTypes = List.copyOf(argumentTypes);
  }

  /** The dtype of {@code endpoint}. */
  public DataType typeOf(Endpoint endpoint) {
    return nodes.get(endpoint.node()).outputTypes().get(endpoint.output());
  }

  /** The dtypes of the results. */
  public List<DataType> resultTypes() {
    return results.stream().map(this::typeOf).toList();
  }

  /**
   * The index of the first tensor of the output {@code argument} of a node; -1 if there is none.
   */
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

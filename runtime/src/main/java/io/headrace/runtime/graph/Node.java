package io.headrace.runtime.graph;

import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * A node of a {@link PrunedGraph}.
 *
 * @param name unique in its graph
 * @param op what it is an instance of
 * @param attrs its attrs
 * @param inputs where its inputs come from; each comes before it in the graph's order
 * @param controlInputs the nodes that must have run before it, by index
 * @param inputTypes the dtypes of its inputs
 * @param outputTypes the dtypes of its outputs
 * @param device the device it asks for; empty if it does not care
 */
public record Node(
    String name,
    Op op,
    Attrs attrs,
    List<Endpoint> inputs,
    List<Integer> controlInputs,
    List<DataType> inputTypes,
    List<DataType> outputTypes,
    String device) {
  /** Whether input {@code index} takes a reference to a variable. */
  public boolean isRefInput(int index) {
    return isRef(op.inputs(), index);
  }

  /** Whether output {@code index} gives a reference to a variable. */
  public boolean isRefOutput(int index) {
    return isRef(op.outputs(), index);
  }

  private boolean isRef(List<ArgSpec> args, int index) {
    int left = index;
    for (ArgSpec arg : args) {
      left -= arg.count(attrs);
      if (left < 0) {
        return arg.isRef();
      }
    }
    return false;
  }
}

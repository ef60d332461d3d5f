package io.headrace.runtime.graph;

import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * A node of a {@link PrunedGraph}.
 *
 * @param name its name, unique in its graph
 * @param op its op
 * @param attrs its attrs
 * @param inputs the sources of its inputs, which precede it in the graph
 * @param controlInputs the indices of the nodes that must run before it
 * @param inputTypes the dtypes of its inputs
 * @param outputTypes the dtypes of its outputs
 * @param device its requested device; empty for any
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

  /** Whether output {@code index} is a reference to a variable. */
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

package io.headrace.runtime.op;

import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;

/**
 * One node of a graph, from which its kernel is created.
 *
 * @param name the node's name, for messages
 * @param op the op
 * @param attrs the attrs
 * @param inputTypes the dtypes of its inputs, from its op and attrs
 * @param outputTypes the dtypes of its outputs
 * @param functions instantiates the functions that attrs name
 */
public record NodeSpec(
    String name,
    Op op,
    Attrs attrs,
    List<DataType> inputTypes,
    List<DataType> outputTypes,
    FunctionLookup functions) {
  /**
   * The node {@code name}, an instance of {@code op} with {@code attrs}. INVALID_ARGUMENT if an
   * attr for the number or the dtypes of inputs or outputs is missing or invalid.
   */
  public static NodeSpec of(String name, Op op, Attrs attrs, FunctionLookup functions) {
    return new NodeSpec(
        name, op, attrs, types(op.inputs(), attrs), types(op.outputs(), attrs), functions);
  }

  /** Whether the node calls functions: its kernel's work is theirs. */
  public boolean callsFunctions() {
    return op.isCall()
        || attrs.values().values().stream()
            .anyMatch(value -> value.hasFunc() || value.getList().getFuncCount() > 0);
  }

  /** This node, with the defaults of {@code newer} for the attrs that its op lacks. */
  NodeSpec of(Op newer) {
    return new NodeSpec(name, op, attrs.of(newer), inputTypes, outputTypes, functions);
  }

  private static List<DataType> types(List<ArgSpec> args, Attrs attrs) {
    List<DataType> types = new ArrayList<>();
    for (ArgSpec arg : args) {
      int count = arg.count(attrs);
      for (int i = 0; i < count; i++) {
        types.add(arg.typeAt(attrs, i));
      }
    }
    return List.copyOf(types);
  }
}

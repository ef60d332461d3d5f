package io.headrace.cli;

import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the dtypes of nodes' outputs. */
final class OutputType {
  private OutputType() {}

  /**
   * The dtype of an output of {@code node}; empty if the op is not in our registry or the dtype
   * unknown.
   */
  static Optional<DataType> of(NodeDef node, int output) {
    @Nullable Op op = OpRegistry.standard().find(node.getOp());
    if (op == null) {
      return Optional.empty();
    }
    List<DataType> types;
    try {
      Attrs attrs = new Attrs(node.getName(), op, node.getAttrMap());
      types = NodeSpec.of(node.getName(), op, attrs, FunctionLookup.none()).outputTypes();
    } catch (StatusException _) {
      return Optional.empty(); // the server may know the op
    }
    return output < types.size() ? Optional.of(types.get(output)) : Optional.empty();
  }
}

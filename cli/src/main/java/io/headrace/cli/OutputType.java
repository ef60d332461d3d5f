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

/** Finds the dtypes of what nodes give. */
final class OutputType {
  private OutputType() {}

  /** The dtype of an output of {@code node}; empty if we don't know its op, or what it gives. */
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
      return Optional.empty(); // a server may know better
    }
    return output < types.size() ? Optional.of(types.get(output)) : Optional.empty();
  }
}

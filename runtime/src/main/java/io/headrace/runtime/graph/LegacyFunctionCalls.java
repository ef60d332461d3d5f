package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Rewrites nodes whose op is the name of a function, TensorFlow 1's function calls, as calls. */
public final class LegacyFunctionCalls {
  private LegacyFunctionCalls() {}

  /** {@code nodes}, with calls of functions of {@code library} as PartitionedCalls. */
  public static List<NodeDef> written(
      List<NodeDef> nodes, FunctionDefLibrary library, OpRegistry ops) {
    if (library.getFunctionCount() == 0) {
      return nodes;
    }
    Map<String, OpDef> functions = new HashMap<>();
    for (FunctionDef function : library.getFunctionList()) {
      functions.put(function.getSignature().getName(), function.getSignature());
    }
    List<NodeDef> result = new ArrayList<>();
    for (NodeDef node : nodes) {
      OpDef function = functions.get(node.getOp());
      result.add(function == null || ops.find(node.getOp()) != null ? node : call(node, function));
    }
    return result;
  }

  private static NodeDef call(NodeDef node, OpDef function) {
    return node.toBuilder()
        .setOp("PartitionedCall")
        .putAttr("Tin", types(node, function.getInputArgList()))
        .putAttr("Tout", types(node, function.getOutputArgList()))
        .putAttr(
            "f",
            AttrValue.newBuilder()
                .setFunc(
                    NameAttrList.newBuilder()
                        .setName(function.getName())
                        .putAllAttr(node.getAttrMap()))
                .build())
        .build();
  }

  private static AttrValue types(NodeDef node, List<OpDef.ArgDef> args) {
    AttrValue.Builder value = AttrValue.newBuilder();
    for (OpDef.ArgDef arg : args) {
      if (arg.getTypeValue() == 0) {
        throw StatusException.unimplemented(
            "function %s (node %s) has an argument of any dtype: %s",
            node.getOp(), node.getName(), arg.getName());
      }
      value.getListBuilder().addTypeValue(arg.getTypeValue());
    }
    return value.setList(value.getListBuilder()).build();
  }
}

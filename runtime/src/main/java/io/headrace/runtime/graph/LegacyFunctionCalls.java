package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Rewrites nodes whose op is the name of a function, as TensorFlow 1's {@code Defun} writes calls,
 * as PartitionedCalls. An op of the registry comes before a function of its name.
 */
public final class LegacyFunctionCalls {
  private final Map<String, OpDef> functions = new HashMap<>();
  private final OpRegistry ops;

  private LegacyFunctionCalls(FunctionDefLibrary library, OpRegistry ops) {
    this.ops = ops;
    for (FunctionDef function : library.getFunctionList()) {
      functions.put(function.getSignature().getName(), function.getSignature());
    }
  }

  /** {@code graph} with calls of its functions as PartitionedCalls, in its functions as well. */
  public static GraphDef written(GraphDef graph, OpRegistry ops) {
    LegacyFunctionCalls calls = new LegacyFunctionCalls(graph.getLibrary(), ops);
    boolean any =
        calls.areIn(graph.getNodeList())
            || graph.getLibrary().getFunctionList().stream()
                .anyMatch(function -> calls.areIn(function.getNodeDefList()));
    return any
        ? graph.toBuilder()
            .clearNode()
            .addAllNode(calls.written(graph.getNodeList()))
            .setLibrary(written(graph.getLibrary(), ops))
            .build()
        : graph;
  }

  /** {@code nodes}, with calls of functions of {@code library} as PartitionedCalls. */
  public static List<NodeDef> written(
      List<NodeDef> nodes, FunctionDefLibrary library, OpRegistry ops) {
    LegacyFunctionCalls calls = new LegacyFunctionCalls(library, ops);
    return calls.areIn(nodes) ? calls.written(nodes) : nodes;
  }

  /** {@code library}, with the calls in its functions as PartitionedCalls. */
  public static FunctionDefLibrary written(FunctionDefLibrary library, OpRegistry ops) {
    LegacyFunctionCalls calls = new LegacyFunctionCalls(library, ops);
    FunctionDefLibrary.Builder written = null;
    for (int i = 0; i < library.getFunctionCount(); i++) {
      FunctionDef function = library.getFunction(i);
      if (calls.areIn(function.getNodeDefList())) {
        written = written == null ? library.toBuilder() : written;
        written.setFunction(i, calls.written(function));
      }
    }
    return written == null ? library : written.build();
  }

  private boolean areIn(List<NodeDef> nodes) {
    return nodes.stream().anyMatch(this::isCall);
  }

  private boolean isCall(NodeDef node) {
    return functions.containsKey(node.getOp()) && ops.find(node.getOp()) == null;
  }

  private List<NodeDef> written(List<NodeDef> nodes) {
    return nodes.stream().map(node -> isCall(node) ? call(node) : node).toList();
  }

  private FunctionDef written(FunctionDef function) {
    Map<String, OpDef> callees = new HashMap<>();
    function.getNodeDefList().stream()
        .filter(this::isCall)
        .forEach(node -> callees.put(node.getName(), callee(node)));
    FunctionDef.Builder written = function.toBuilder().clearNodeDef();
    for (NodeDef node : written(function.getNodeDefList())) {
      NodeDef.Builder moved = node.toBuilder();
      for (int i = 0; i < node.getInputCount(); i++) {
        moved.setInput(i, moved(node.getInput(i), callees));
      }
      written.addNodeDef(moved);
    }
    function.getRetMap().forEach((name, from) -> written.putRet(name, moved(from, callees)));
    return written.build();
  }

  /**
   * An input of a node in a function: outputs of a call have the names of its function's, those of
   * a PartitionedCall are numbered.
   */
  private static String moved(String input, Map<String, OpDef> callees) {
    String[] parts = input.split(":", -1);
    OpDef callee = callees.get(parts[0]);
    if (callee == null || parts.length != 3) {
      return input;
    }
    for (int i = 0; i < callee.getOutputArgCount(); i++) {
      if (callee.getOutputArg(i).getName().equals(parts[1])) {
        return parts[0] + ":output:" + i;
      }
    }
    return input;
  }

  private OpDef callee(NodeDef node) {
    return Objects.requireNonNull(functions.get(node.getOp()));
  }

  private NodeDef call(NodeDef node) {
    OpDef function = callee(node);
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

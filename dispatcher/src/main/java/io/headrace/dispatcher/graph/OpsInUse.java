package io.headrace.dispatcher.graph;

import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.GraphHash;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the ops that a dataset's result depends on: those reachable from its last {@code _Retval},
 * and transitively those in the functions they name. In a graph without a {@code _Retval} all nodes
 * count. Missing inputs and unknown functions are ignored here; the worker that runs the graph
 * reports them.
 */
final class OpsInUse {
  private static final String RETVAL = "_Retval";

  /** Ops that only mark a function's arguments and results. */
  private static final Set<String> MARKERS = Set.of(RETVAL, "_Arg", "_DeviceArg", "_DeviceRetval");

  private final Map<String, FunctionDef> library = new HashMap<>();
  private final Set<String> seenFunctions = new HashSet<>();
  private final Deque<FunctionDef> functions = new ArrayDeque<>();
  private final Map<String, OpUse> uses = new LinkedHashMap<>();

  private OpsInUse(GraphDef graph) {
    graph
        .getLibrary()
        .getFunctionList()
        .forEach(function -> library.put(function.getSignature().getName(), function));
  }

  /** Each op in use, once, with the first node found that has it. */
  static List<OpUse> of(GraphDef graph) {
    OpsInUse walk = new OpsInUse(graph);
    walk.visit("", graph.getNodeList(), results(graph));
    while (!walk.functions.isEmpty()) {
      FunctionDef function = walk.functions.remove();
      walk.visit(
          function.getSignature().getName() + "/", function.getNodeDefList(), results(function));
    }
    return List.copyOf(walk.uses.values());
  }

  private static Collection<String> results(GraphDef graph) {
    for (NodeDef node : graph.getNodeList().reversed()) {
      if (node.getOp().equals(RETVAL)) {
        return List.of(node.getName());
      }
    }
    return graph.getNodeList().stream().map(NodeDef::getName).toList();
  }

  private static Collection<String> results(FunctionDef function) {
    List<String> results = new ArrayList<>(function.getRetMap().values());
    results.addAll(function.getControlRetMap().values());
    return results;
  }

  private void visit(String prefix, List<NodeDef> nodes, Collection<String> results) {
    Map<String, NodeDef> unseen = new HashMap<>();
    nodes.forEach(node -> unseen.put(node.getName(), node));
    Deque<String> names = new ArrayDeque<>(results);
    while (!names.isEmpty()) {
      @Nullable NodeDef node = unseen.remove(GraphHash.nodeName(names.remove()));
      if (node != null) {
        use(prefix, node);
        names.addAll(node.getInputList());
      }
    }
  }

  private void use(String prefix, NodeDef node) {
    if (library.containsKey(node.getOp())) {
      call(node.getOp());
    } else if (!MARKERS.contains(node.getOp())) {
      uses.computeIfAbsent(
          node.getOp(),
          op -> OpUse.newBuilder().setOp(op).setNode(prefix + node.getName()).build());
    }
    node.getAttrMap().values().forEach(this::callFunctionsOf);
  }

  private void callFunctionsOf(AttrValue attr) {
    if (attr.hasFunc()) {
      call(attr.getFunc().getName());
      attr.getFunc().getAttrMap().values().forEach(this::callFunctionsOf);
    }
    for (var function : attr.getList().getFuncList()) {
      call(function.getName());
      function.getAttrMap().values().forEach(this::callFunctionsOf);
    }
  }

  private void call(String name) {
    @Nullable FunctionDef function = library.get(name);
    if (function != null && seenFunctions.add(name)) {
      functions.add(function);
    }
  }
}

package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Finds the unsupported ops of a graph before it runs. */
public final class UnsupportedOps {
  private static final Set<String> PYTHON =
      Set.of("PyFunc", "PyFuncStateless", "EagerPyFunc", "GeneratorDataset");

  private UnsupportedOps() {}

  /** The error for a node with an unsupported op. */
  static StatusException unsupported(NodeDef node) {
    return StatusException.unimplemented(
        "op %s (node %s) is not supported%s", node.getOp(), node.getName(), reason(node.getOp()));
  }

  /**
   * The reason why {@code op} is not supported, to follow a message; empty if there is no other.
   */
  public static String reason(String op) {
    return PYTHON.contains(op)
        ? ": it calls a Python function (py_function, numpy_function, from_generator), which is in"
            + " the process that made the dataset and in no worker; write the function with"
            + " TensorFlow's ops, or call it behind distribute()"
        : "";
  }

  /**
   * Throws UNIMPLEMENTED naming op and node if the node {@code result}, a node it depends on, or a
   * function that these call, directly or indirectly, has an op that is not in {@code registry}.
   */
  public static void check(GraphDef graph, String result, OpRegistry registry) {
    forEachNode(
        graph,
        result,
        node -> {
          if (registry.find(node.getOp()) == null) {
            throw unsupported(node);
          }
        });
  }

  /** The names of all ops on which the node {@code result} depends, in functions as well. */
  public static Set<String> opsOf(GraphDef graph, String result) {
    Set<String> ops = new HashSet<>();
    forEachNode(graph, result, node -> ops.add(node.getOp()));
    return ops;
  }

  /** The pins of all nodes on which the node {@code result} depends, in functions as well. */
  public static Set<String> pinsOf(GraphDef graph, String result) {
    Set<String> pins = new HashSet<>();
    forEachNode(
        graph,
        result,
        node -> {
          if (node.containsAttr(DevicePin.ATTR)) {
            pins.add(node.getAttrOrThrow(DevicePin.ATTR).getS().toStringUtf8());
          }
        });
    return pins;
  }

  private static void forEachNode(GraphDef graph, String result, Consumer<NodeDef> visitor) {
    Map<String, FunctionDef> library = new HashMap<>();
    graph.getLibrary().getFunctionList().forEach(f -> library.put(f.getSignature().getName(), f));
    Deque<String> functions = new ArrayDeque<>();
    Set<String> seen = new HashSet<>();
    Consumer<NodeDef> visit =
        node -> {
          visitor.accept(node);
          node.getAttrMap().values().forEach(attr -> addFunctions(attr, functions));
        };
    walk(graph.getNodeList(), List.of(result), visit);
    while (!functions.isEmpty()) {
      FunctionDef function = library.get(functions.pop());
      if (function != null && seen.add(function.getSignature().getName())) {
        walk(function.getNodeDefList(), roots(function), visit);
      }
    }
  }

  private static List<String> roots(FunctionDef function) {
    List<String> roots = new ArrayList<>(function.getRetMap().values());
    roots.addAll(function.getControlRetMap().values());
    return roots;
  }

  private static void addFunctions(AttrValue attr, Deque<String> functions) {
    if (attr.hasFunc()) {
      functions.add(attr.getFunc().getName());
    }
    for (NameAttrList function : attr.getList().getFuncList()) {
      functions.add(function.getName());
    }
  }

  private static void walk(
      Collection<NodeDef> nodes, Collection<String> roots, Consumer<NodeDef> visit) {
    Map<String, NodeDef> byName = new HashMap<>();
    nodes.forEach(node -> byName.putIfAbsent(node.getName(), node));
    Deque<String> pending = new ArrayDeque<>(roots);
    Set<String> seen = new HashSet<>();
    while (!pending.isEmpty()) {
      String input = pending.pop();
      int colon = input.indexOf(':');
      String name =
          input.substring(input.startsWith("^") ? 1 : 0, colon < 0 ? input.length() : colon);
      NodeDef node = byName.get(name);
      if (node != null && seen.add(name)) {
        visit.accept(node);
        pending.addAll(node.getInputList());
      }
    }
  }
}

package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.FunctionLibrary;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The functions that the nodes of a graph call: their definitions, sizes and requested devices. */
final class FunctionCallGraph {
  /** The maximal nesting depth of functions, as at execution. */
  private static final int MAX_DEPTH = 100;

  private static final String MAY_BE_LOWERED = "_lower_using_switch_merge";

  /** A function, and the device of its caller, which completes the devices of its nodes. */
  private record Visit(String function, DeviceSpec outer) {}

  private final Map<String, FunctionDef> definitions = new HashMap<>();
  private final Map<String, Long> sizes = new HashMap<>();

  FunctionCallGraph(FunctionDefLibrary library) {
    for (FunctionDef function : library.getFunctionList()) {
      definitions.put(function.getSignature().getName(), function);
    }
  }

  /**
   * Whether the nodes of the functions that {@code node} calls may have devices of their own.
   * Conditionals and loops need an attr for that, set by the author of the graph, as in TensorFlow.
   */
  static boolean mayBeLowered(NodeDef node) {
    return switch (node.getOp()) {
      case "PartitionedCall", "StatefulPartitionedCall" -> true;
      case "If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile" ->
          node.containsAttr(MAY_BE_LOWERED) && node.getAttrOrThrow(MAY_BE_LOWERED).getB();
      default -> false;
    };
  }

  /**
   * The function {@code name}.
   *
   * @throws StatusException NOT_FOUND, naming {@code caller}, if the library lacks it
   */
  FunctionDef definition(String name, String caller) {
    FunctionDef definition = definitions.get(name);
    if (definition == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND, "the graph has no function %s, which node %s calls", name, caller);
    }
    return definition;
  }

  /** Whether a function that {@code node} calls is recursive. */
  boolean isRecursive(NodeDef node) {
    return callees(node).stream().anyMatch(this::isRecursive);
  }

  private boolean isRecursive(String name) {
    Set<String> seen = new HashSet<>();
    Deque<String> work = new ArrayDeque<>(List.of(name));
    while (!work.isEmpty()) {
      FunctionDef function = definitions.get(work.remove());
      if (function == null) {
        continue;
      }
      for (NodeDef node : function.getNodeDefList()) {
        for (String callee : callees(node)) {
          if (callee.equals(name)) {
            return true;
          }
          if (seen.add(callee)) {
            work.add(callee);
          }
        }
      }
    }
    return false;
  }

  /**
   * The number of nodes of the functions that {@code node} calls, transitively, saturating at
   * {@code most + 1}.
   *
   * @throws StatusException INVALID_ARGUMENT if the nesting is too deep
   */
  long nodes(NodeDef node, int most) {
    return nodes(node, most, 0);
  }

  private long nodes(NodeDef node, int most, int depth) {
    long nodes = 0;
    for (String callee : callees(node)) {
      if (depth == MAX_DEPTH) {
        throw StatusException.invalidArgument(
            "function %s is nested too deep: more than %d functions", callee, MAX_DEPTH);
      }
      nodes = Math.min(most + 1L, nodes + nodesOf(callee, most, depth + 1));
    }
    return nodes;
  }

  private long nodesOf(String name, int most, int depth) {
    Long known = sizes.putIfAbsent(name, 0L); // recursive functions are not lowered
    FunctionDef function = definitions.get(name);
    if (known != null || function == null) {
      return known == null ? 0 : known;
    }
    long nodes = function.getNodeDefCount();
    for (NodeDef node : function.getNodeDefList()) {
      nodes = Math.min(most + 1L, nodes + nodes(node, most, depth));
    }
    sizes.put(name, nodes);
    return nodes;
  }

  private static List<String> callees(NodeDef node) {
    return FunctionLibrary.callees(node.getAttrMap());
  }

  /**
   * The devices requested by the nodes of the functions that {@code node} calls, transitively
   * through calls whose nodes may have devices of their own.
   *
   * @throws StatusException INVALID_ARGUMENT, naming a node with a malformed device
   */
  Set<DeviceSpec> devices(NodeDef node) {
    Set<DeviceSpec> devices = new HashSet<>();
    Set<Visit> seen = new HashSet<>();
    Deque<Visit> work = new ArrayDeque<>();
    callees(node).forEach(callee -> work.add(new Visit(callee, DeviceSpec.ANY)));
    while (!work.isEmpty()) {
      Visit visit = work.remove();
      FunctionDef function = definitions.get(visit.function());
      if (function == null || !seen.add(visit)) {
        continue;
      }
      for (NodeDef inner : function.getNodeDefList()) {
        DeviceSpec device = requestedDevice(inner, visit.function()).over(visit.outer());
        devices.add(device);
        if (mayBeLowered(inner)) {
          callees(inner).forEach(callee -> work.add(new Visit(callee, device)));
        }
      }
    }
    devices.remove(DeviceSpec.ANY);
    return devices;
  }

  private static DeviceSpec requestedDevice(NodeDef node, String function) {
    try {
      return DeviceSpec.parse(node.getDevice());
    } catch (StatusException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "Malformed device specification '%s' in node: {{node %s}} of function %s"
              .formatted(node.getDevice(), node.getName(), function),
          e);
    }
  }
}

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

/** The functions of a graph's library: what those ask for that a node calls. */
final class CalledFunctions {
  /** How deep functions may nest, as when they are run. */
  private static final int MAX_DEPTH = 100;

  private static final String MAY_BE_LOWERED = "_lower_using_switch_merge";

  /** A function whose nodes ask for {@code outer} where they leave a part open. */
  private record Visit(String function, DeviceSpec outer) {}

  private final Map<String, FunctionDef> definitions = new HashMap<>();
  private final Map<String, Long> sizes = new HashMap<>();

  CalledFunctions(FunctionDefLibrary library) {
    for (FunctionDef function : library.getFunctionList()) {
      definitions.put(function.getSignature().getName(), function);
    }
  }

  /**
   * Whether the nodes of the functions that {@code node} calls may be at devices of their own. Of
   * conditionals and loops it is said by whoever made the graph, as for TensorFlow.
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
   * @throws StatusException NOT_FOUND naming {@code caller} if the library has none
   */
  FunctionDef definition(String name, String caller) {
    FunctionDef definition = definitions.get(name);
    if (definition == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND, "the graph has no function %s, which node %s calls", name, caller);
    }
    return definition;
  }

  /** Whether a function that {@code node} calls comes to call itself. */
  boolean isRecursive(NodeDef node) {
    return callees(node).stream().anyMatch(this::comesToCallItself);
  }

  private boolean comesToCallItself(String name) {
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
   * How many nodes the functions have that {@code node} calls, with all that they call, up to one
   * more than {@code most}.
   *
   * @throws StatusException INVALID_ARGUMENT if they are nested too deep
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
    Long known = sizes.putIfAbsent(name, 0L); // one that calls itself is not lowered
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
   * What the nodes of the functions ask for that {@code node} calls, and of those that they call,
   * as far as nodes there may be at devices of their own.
   *
   * @throws StatusException INVALID_ARGUMENT naming a node that asks for what is no device
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
        DeviceSpec device = asked(inner, visit.function()).over(visit.outer());
        devices.add(device);
        if (mayBeLowered(inner)) {
          callees(inner).forEach(callee -> work.add(new Visit(callee, device)));
        }
      }
    }
    devices.remove(DeviceSpec.ANY);
    return devices;
  }

  private static DeviceSpec asked(NodeDef node, String function) {
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

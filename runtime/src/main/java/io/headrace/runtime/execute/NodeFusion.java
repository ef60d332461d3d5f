package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.elementwise.ScalarConstants;
import io.headrace.runtime.execute.GraphNode.Calls;
import io.headrace.runtime.execute.GraphNode.Edge;
import io.headrace.runtime.execute.GraphNode.Kind;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fuses nodes of a session's graph that an accelerator computes: a node whose output is read by one
 * group only joins that group, and each group becomes one node, whose kernel is one launch. Nodes
 * with control dependencies, and those whose outputs are sent, fetched or read by the host, stay
 * what they are. Not thread-safe.
 */
final class NodeFusion {
  /*
   * A group has one result, and every node of it leads there. So a group is dead if one of its
   * inputs is, as its nodes would have been, and all of it is in one frame. Constants on which no
   * control dependency lies become part of the kernel.
   */

  /** The maximum number of nodes per group. */
  private static final int MAX_NODES = 64;

  /** The most elements of a constant that may be a parameter of a movement. */
  private static final int MAX_KNOWN = 64;

  private final List<GraphNode> nodes;

  /** The register of each node's first output; those of its others follow. */
  private final Map<GraphNode, Integer> registers = new HashMap<>();

  /** The node that gives each register. */
  private final Map<Integer, GraphNode> makers = new HashMap<>();

  /** The registers that each node reads. */
  private final Map<GraphNode, int[]> inputs = new HashMap<>();

  /** The nodes that may be fused, as steps. */
  private final Map<GraphNode, Step> steps = new LinkedHashMap<>();

  /** The values of constants that may become part of a kernel, by register. */
  private final Map<Integer, Tensor> constants = new HashMap<>();

  /** The node that computes the result of each node's group. */
  private final Map<GraphNode, GraphNode> groupOf = new HashMap<>();

  /** The nodes of each group, last first. */
  private final Map<GraphNode, List<GraphNode>> groups = new LinkedHashMap<>();

  private NodeFusion(List<GraphNode> nodes) {
    this.nodes = nodes;
  }

  /** The nodes of a connected graph, with groups in place of those that are fused. */
  static List<GraphNode> fuse(List<GraphNode> nodes) {
    boolean hasAny =
        nodes.stream()
            .anyMatch(node -> node.place != null && node.place.kernels().fusesMovements());
    return hasAny ? new NodeFusion(nodes).fused() : nodes;
  }

  private List<GraphNode> fused() {
    number();
    for (GraphNode node : nodes) {
      if (mayBeFused(node)) {
        Step step =
            new Step(
                node.spec, inputsOf(node), registerOf(node), false, List.of(), Optional.empty());
        if (FusedRole.of(step) != FusedRole.NONE) {
          steps.put(node, step);
        }
      }
    }
    assignAll();
    Map<GraphNode, GraphNode> replaced = new HashMap<>();
    groups.forEach((root, members) -> {
      GraphNode whole = members.size() > 1 ? replacement(root, members.reversed()) : null;
      if (whole != null) {
        replaced.put(root, whole);
      }
    });
    List<GraphNode> result = new ArrayList<>();
    for (GraphNode node : nodes) {
      GraphNode root = groupOf.get(node);
      GraphNode whole = root == null ? null : replaced.get(root);
      if (whole == null) {
        result.add(node);
      } else if (node.equals(root)) {
        result.add(whole);
      }
    }
    return result;
  }

  private void number() {
    int next = 0;
    for (GraphNode node : nodes) {
      registers.put(node, next);
      for (int i = 0; i < node.outputs.size(); i++) {
        makers.put(next, node);
        next++;
      }
      inputs.put(node, new int[node.inputs()]);
    }
    for (GraphNode node : nodes) {
      for (int i = 0; i < node.outputs.size(); i++) {
        for (Edge edge : node.outputs.get(i)) {
          Objects.requireNonNull(inputs.get(edge.node()))[edge.slot()] = registerOf(node) + i;
        }
      }
      if (isSmallConstant(node)) {
        constants.put(registerOf(node), node.spec.attrs().tensor("value"));
      }
    }
  }

  /** Whether a node gives a value that a kernel may know: no weights, and none that may be dead. */
  private static boolean isSmallConstant(GraphNode node) {
    if (!node.spec.op().name().equals("Const") || node.controlInputs > 0) {
      return false;
    }
    AttrValue value = node.spec.attrs().values().get("value");
    if (value == null || value.getTensor().getTensorShape().getDimCount() > 1) {
      return false;
    }
    return value.getTensor().getTensorShape().getDimList().stream()
        .allMatch(dimension -> dimension.getSize() <= MAX_KNOWN);
  }

  private int registerOf(GraphNode node) {
    return Objects.requireNonNull(registers.get(node));
  }

  private List<Integer> inputsOf(GraphNode node) {
    List<Integer> read = new ArrayList<>();
    for (int input : Objects.requireNonNull(inputs.get(node))) {
      read.add(input);
    }
    return read;
  }

  private GraphNode maker(int register) {
    return Objects.requireNonNull(makers.get(register));
  }

  private static boolean mayBeFused(GraphNode node) {
    boolean isKernel =
        node.kind == Kind.KERNEL
            ? node.kernel instanceof Kernel.Sync && node.calls == Calls.SHARED
            : node.kind == Kind.PASS && node.spec.op().name().equals("Identity");
    return isKernel
        && node.place != null
        && node.place.kernels().fusesMovements()
        && !node.spec.op().isStateful()
        && node.controlInputs == 0
        && node.controlOutputs.isEmpty()
        && node.inputs() > 0
        && node.outputs.size() == 1
        && readsNoReference(node);
  }

  private static boolean readsNoReference(GraphNode node) {
    for (boolean isReference : node.reads) {
      if (isReference) {
        return false;
      }
    }
    return true;
  }

  /** Assigns each node after those that read it. */
  private void assignAll() {
    Map<GraphNode, Integer> waiting = new HashMap<>();
    Deque<GraphNode> ready = new ArrayDeque<>();
    for (GraphNode node : steps.keySet()) {
      int readers =
          (int)
              node.outputs.getFirst().stream()
                  .filter(edge -> steps.containsKey(edge.node()))
                  .count();
      waiting.put(node, readers);
      if (readers == 0) {
        ready.add(node);
      }
    }
    while (!ready.isEmpty()) {
      GraphNode node = ready.remove();
      assign(node);
      for (int input : inputsOf(node)) {
        GraphNode before = maker(input);
        if (waiting.containsKey(before) && waiting.merge(before, -1, Integer::sum) == 0) {
          ready.add(before);
        }
      }
    }
  }

  private void assign(GraphNode node) {
    Set<@Nullable GraphNode> wanted = new HashSet<>();
    for (Edge edge : node.outputs.getFirst()) {
      Step reader = steps.get(edge.node());
      boolean isOperand =
          reader != null
              && FusedRole.of(reader).operands(reader).anyMatch(index -> index == edge.slot());
      wanted.add(isOperand ? groupOf.get(edge.node()) : null);
    }
    GraphNode only = wanted.size() == 1 ? wanted.iterator().next() : null;
    GraphNode group = only != null && canJoin(node, only) ? only : node;
    groupOf.put(node, group);
    groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(node);
  }

  private boolean canJoin(GraphNode node, GraphNode group) {
    List<GraphNode> joined = new ArrayList<>(groups.getOrDefault(group, List.of()));
    joined.add(node);
    return Objects.equals(node.place, group.place)
        && joined.size() <= MAX_NODES
        && external(joined).size() <= ElementwiseKernel.MAX_INPUTS;
  }

  /** The registers that a group reads and does not know. */
  private Set<Integer> external(List<GraphNode> members) {
    Set<Integer> external = new LinkedHashSet<>();
    Set<Integer> inner = new HashSet<>();
    for (GraphNode member : members) {
      Step step = Objects.requireNonNull(steps.get(member));
      FusedRole role = FusedRole.of(step);
      role.operands(step)
          .map(step.inputs()::get)
          .filter(register -> !isScalar(register))
          .forEach(external::add);
      role.parameters(step)
          .map(step.inputs()::get)
          .filter(register -> !constants.containsKey(register))
          .forEach(external::add);
      inner.add(step.firstOutput());
    }
    external.removeAll(inner);
    return external;
  }

  private boolean isScalar(int register) {
    Tensor constant = constants.get(register);
    return constant != null && ScalarConstants.isScalar(constant);
  }

  /**
   * The node in place of {@code members}, of which {@code root} is the last; null if none gains.
   */
  private @Nullable GraphNode replacement(GraphNode root, List<GraphNode> members) {
    List<Step> all = members.stream().map(steps::get).map(Objects::requireNonNull).toList();
    long launches = all.stream().filter(step -> FusedRole.of(step) != FusedRole.RESHAPES).count();
    List<Integer> read = List.copyOf(external(members));
    if (launches < 2 || read.isEmpty()) {
      return null;
    }
    DeviceKernels device = Objects.requireNonNull(root.place).kernels();
    List<Step> fused = ElementwiseFusion.fuse(all, constants, List.of(registerOf(root)));
    Kernel.Sync kernel;
    List<DataType> types;
    Step last = fused.getLast();
    if (fused.size() == 1 && last.group().isPresent()) {
      read = last.inputs();
      types = last.group().get().argumentTypes();
      kernel = ProgramInstance.ofGroup(root.spec.name(), last.group().get(), device);
    } else {
      Program whole = new SubprogramBuilder(read, constants).build(root.spec.name(), fused);
      if (!MovementFusion.hasMovements(whole)) {
        return null;
      }
      types = whole.argumentTypes();
      kernel = FusedMovement.of(whole, device);
    }
    return connected(root, members, read, node(root, types, kernel));
  }

  private static GraphNode node(GraphNode root, List<DataType> types, Kernel.Sync kernel) {
    NodeSpec spec = root.spec;
    GraphNode whole =
        new GraphNode(
            new NodeSpec(
                spec.name(), spec.op(), spec.attrs(), types, spec.outputTypes(), spec.functions()),
            Kind.KERNEL,
            root.place,
            namingNodes(kernel),
            Calls.SHARED,
            "");
    whole.costNanos = root.costNanos;
    return whole;
  }

  /** A kernel whose errors name nodes as those of other kernels of a session do. */
  private static Kernel.Sync namingNodes(Kernel.Sync kernel) {
    return (KernelCall call) -> {
      try {
        kernel.compute(call);
      } catch (StatusException e) {
        throw NodeErrors.inSession(e);
      }
    };
  }

  /** Lets {@code whole} read and be read in place of {@code members}. */
  private GraphNode connected(
      GraphNode root, List<GraphNode> members, List<Integer> read, GraphNode whole) {
    Set<GraphNode> inside = new HashSet<>(members);
    Set<Integer> before = new LinkedHashSet<>();
    members.forEach(member -> before.addAll(inputsOf(member)));
    for (int register : before) {
      GraphNode maker = maker(register);
      if (!inside.contains(maker)) {
        int output = register - registerOf(maker);
        maker.outputs.get(output).removeIf(edge -> inside.contains(edge.node()));
      }
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < read.size(); i++) {
      GraphNode maker = maker(read.get(i));
      int output = read.get(i) - registerOf(maker);
      maker.outputs.get(output).add(new Edge(whole, i));
      names.add(output == 0 ? maker.spec.name() : maker.spec.name() + ":" + output);
    }
    whole.inputNames = List.copyOf(names);
    whole.outputs.getFirst().addAll(root.outputs.getFirst());
    whole.pending = read.size();
    return whole;
  }
}

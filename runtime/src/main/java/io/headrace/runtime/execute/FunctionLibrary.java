package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.GradientDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.graph.GraphReader;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The functions of a graph. A function is read and compiled to a {@link Program} once; each
 * instance has kernels of its own. Thread-safe.
 *
 * <p>Instantiation rejects hostile libraries: recursive functions, deep nesting, and functions that
 * grow exponentially when inlined.
 */
public final class FunctionLibrary implements FunctionLookup {
  /** The maximum nesting depth of calls. */
  private static final int MAX_DEPTH = 100;

  /** The maximum number of nodes of a function including its callees. */
  private static final long MAX_NODES = 1_000_000;

  /** Properties of a function including its callees. */
  private record Summary(long nodes, Effect effect, boolean mayWait) {}

  private final OpRegistry registry;
  private final Map<String, FunctionDef> definitions = new HashMap<>();
  private final Map<String, PrunedGraph> bodies = new ConcurrentHashMap<>();
  private final Map<String, Program> programs = new ConcurrentHashMap<>();
  private final Map<String, Summary> summaries = new ConcurrentHashMap<>();

  /** The registered gradient functions, by function. */
  private final Map<String, String> gradients = new HashMap<>();

  private final Map<String, Program> derived = new ConcurrentHashMap<>();

  /** The functions of {@code library}, with the ops of {@code registry}. */
  public FunctionLibrary(FunctionDefLibrary library, OpRegistry registry) {
    this.registry = registry;
    for (FunctionDef function : library.getFunctionList()) {
      definitions.put(function.getSignature().getName(), function);
    }
    for (GradientDef gradient : library.getGradientList()) {
      gradients.put(gradient.getFunctionName(), gradient.getGradientFunc());
    }
  }

  OpRegistry registry() {
    return registry;
  }

  @Override
  public CallableFunction instantiate(FunctionRef function) {
    return new ProgramInstance(program(function.name()));
  }

  /**
   * An instance of the function {@code name} whose rows run together on a device, whatever their
   * size.
   */
  CallableFunction instantiateOn(String name, DeviceKernels device) {
    Program program = program(name);
    return new ProgramInstance(
        device.fusesMovements() ? MovementFusion.fuse(program) : program, device, Long.MAX_VALUE);
  }

  /**
   * How the function {@code name} runs.
   *
   * @throws StatusException as its instantiation does: NOT_FOUND, or UNIMPLEMENTED for an op that
   *     is not there
   */
  public FunctionPlan plan(String name) {
    Program program = program(name);
    return FunctionPlan.of(program, new ProgramInstance(program), pinnedPlans(name));
  }

  /**
   * How the nodes of the function {@code name} run that are pinned to devices, by device.
   *
   * @throws StatusException as {@link #plan} does
   */
  public List<PinnedPlan> pinnedPlans(String name) {
    var _ = summarize(name, new ArrayList<>());
    return PinnedPlan.of(unpartitioned(name), this);
  }

  @Override
  public CallableFunction gradient(FunctionRef function) {
    String registered = gradients.get(function.name());
    if (registered != null) {
      return instantiate(new FunctionRef(registered));
    }
    return new ProgramInstance(derived.computeIfAbsent(function.name(), this::derive));
  }

  @Override
  public PinnedFunction pinned(FunctionRef function, String pin) {
    var _ = summarize(function.name(), new ArrayList<>());
    Map<String, FunctionDef> called = new LinkedHashMap<>();
    Deque<String> pending = new ArrayDeque<>(List.of(function.name()));
    while (!pending.isEmpty()) {
      String name = pending.pop();
      if (called.putIfAbsent(name, definition(name)) == null) {
        definition(name)
            .getNodeDefList()
            .forEach(node -> pending.addAll(callees(node.getAttrMap())));
      }
    }
    FunctionDef definition = definition(function.name());
    called.remove(function.name());
    return new PinnedFunction(pin, definition, List.copyOf(called.values()));
  }

  private Program derive(String name) {
    var _ = summarize(name, new ArrayList<>());
    PrunedGraph gradient = FunctionGradient.of(name, this);
    return new ProgramBuilder(this).build("the gradient of " + name, gradient, null);
  }

  private Program program(String name) {
    Program known = programs.get(name);
    if (known != null) {
      return known;
    }
    summarize(name, new ArrayList<>());
    Program built = new ProgramBuilder(this).build(name, body(name), definition(name));
    Program raced = programs.putIfAbsent(name, built);
    return raced == null ? built : raced;
  }

  /** The body of a function whose size and nesting have been checked. */
  PrunedGraph body(String name) {
    FunctionDef definition = definition(name);
    return bodies.computeIfAbsent(name, _ -> read(definition));
  }

  /** The body of a function with its pinned nodes, whose size and nesting have been checked. */
  PrunedGraph unpartitioned(String name) {
    return ControlFlowPartitioner.partition(GraphReader.read(definition(name), registry), this);
  }

  private PrunedGraph read(FunctionDef definition) {
    try {
      String name = definition.getSignature().getName();
      return PinnedPartitioner.partition(name, unpartitioned(name), this);
    } catch (StatusException e) {
      throw e.in("function " + definition.getSignature().getName());
    }
  }

  FunctionDef definition(String name) {
    FunctionDef definition = definitions.get(name);
    if (definition == null) {
      throw StatusException.of(StatusCode.NOT_FOUND, "the graph has no function %s", name);
    }
    return definition;
  }

  /** The greatest effect of {@code node} and the functions that it calls. */
  Effect effect(Node node) {
    for (int i = 0; i < node.inputs().size(); i++) {
      if (node.isRefInput(i)) {
        return Effect.CHANGES; // TensorFlow declares Assign and the like stateless.
      }
    }
    return node.op().effect().or(effectOfCallees(node.attrs()));
  }

  /**
   * Whether {@code node} may wait for other steps. A node that only runs elsewhere and changes no
   * state does not.
   */
  boolean mayWait(Node node) {
    boolean waits = node.op().mayWait() || mayCalleesWait(node.attrs());
    return waits && effect(node) == Effect.CHANGES;
  }

  /** The greatest effect of the functions in {@code attrs} and their callees. */
  Effect effectOfCallees(Attrs attrs) {
    Effect effect = Effect.NONE;
    for (String callee : callees(attrs.values())) {
      effect = effect.or(summarize(callee, new ArrayList<>()).effect());
    }
    return effect;
  }

  /** Whether a function in {@code attrs}, or one of its callees, may wait. */
  boolean mayCalleesWait(Attrs attrs) {
    return callees(attrs.values()).stream()
        .anyMatch(callee -> summarize(callee, new ArrayList<>()).mayWait());
  }

  /** The names of the functions in a node's {@code attrs}. */
  public static List<String> callees(Map<String, AttrValue> attrs) {
    List<String> names = new ArrayList<>();
    for (AttrValue attr : attrs.values()) {
      if (attr.hasFunc()) {
        names.add(attr.getFunc().getName());
      }
      for (NameAttrList function : attr.getList().getFuncList()) {
        names.add(function.getName());
      }
    }
    return names;
  }

  private Summary summarize(String name, List<String> callers) {
    Summary known = summaries.get(name);
    if (known != null) {
      return known;
    }
    if (callers.contains(name) || callers.size() >= MAX_DEPTH) {
      throw StatusException.invalidArgument(
          callers.contains(name)
              ? "function %s calls itself"
              : "function %s is nested too deep: more than " + MAX_DEPTH + " functions",
          name);
    }
    callers.add(name);
    long nodes = 0;
    Effect effect = Effect.NONE;
    boolean mayWait = false;
    for (NodeDef node : definition(name).getNodeDefList()) {
      Op op = registry.find(node.getOp());
      effect = op == null ? effect : effect.or(op.effect());
      mayWait |= op != null && op.mayWait();
      nodes++;
      for (String callee : callees(node.getAttrMap())) {
        Summary summary = summarize(callee, callers);
        nodes += summary.nodes();
        effect = effect.or(summary.effect());
        mayWait |= summary.mayWait();
      }
      checkSize(name, nodes);
    }
    callers.removeLast();
    Summary summary = new Summary(nodes, effect, mayWait);
    summaries.put(name, summary);
    return summary;
  }

  private static void checkSize(String name, long nodes) {
    if (nodes > MAX_NODES) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "function %s has more than %d nodes with those that it calls",
          name,
          MAX_NODES);
    }
  }
}

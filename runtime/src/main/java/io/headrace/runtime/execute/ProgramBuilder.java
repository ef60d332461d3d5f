package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compiles a graph to a {@link Program}, inlining function calls. */
final class ProgramBuilder {
  private final FunctionLibrary library;
  private final ConstantFolding folding;
  private final List<Step> steps = new ArrayList<>();
  private final List<Shape> shapes = new ArrayList<>();
  private final Map<Integer, Tensor> constants = new HashMap<>();
  private final Map<Integer, NodeSpec> references = new HashMap<>();
  private boolean stateful;
  private boolean touchesResources;

  /** Set only if a step may wait; steps are then not fused. */
  private @Nullable StepOrder order;

  ProgramBuilder(FunctionLibrary library) {
    this.library = library;
    this.folding = new ConstantFolding(library);
  }

  Program build(String name, PrunedGraph graph, @Nullable FunctionDef definition) {
    order = graph.nodes().stream().anyMatch(library::mayWait) ? new StepOrder() : null;
    List<Integer> arguments = new ArrayList<>();
    for (int i = 0; i < graph.argumentTypes().size(); i++) {
      touchesResources |= graph.argumentTypes().get(i) == DataType.RESOURCE;
      arguments.add(newRegister(argumentShape(definition, i)));
    }
    List<Integer> results =
        append(graph, arguments, "").stream().map(this::readIfReference).toList();
    List<Shape> resultShapes = results.stream().map(shapes::get).toList();
    List<Step> marked = markDead(results);
    return new Program(
        name,
        marked,
        initialRegisters(marked, results),
        List.copyOf(arguments),
        List.copyOf(results),
        graph.argumentTypes(),
        graph.resultTypes(),
        resultShapes,
        stateful,
        touchesResources,
        Optional.ofNullable(order).map(StepOrder::built));
  }

  /** The constants that are used. */
  private List<Optional<Tensor>> initialRegisters(List<Step> marked, List<Integer> results) {
    Set<Integer> used = new HashSet<>(results);
    marked.forEach(step -> used.addAll(step.inputs()));
    List<Optional<Tensor>> initial = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      initial.add(used.contains(i) ? Optional.ofNullable(constants.get(i)) : Optional.empty());
    }
    return List.copyOf(initial);
  }

  private static Shape argumentShape(@Nullable FunctionDef definition, int index) {
    if (definition == null) {
      return Shape.UNKNOWN;
    }
    FunctionDef.ArgAttrs attrs = definition.getArgAttrMap().get(index);
    if (attrs == null || !attrs.containsAttr("_output_shapes")) {
      return Shape.UNKNOWN;
    }
    var list = attrs.getAttrOrThrow("_output_shapes").getList();
    return list.getShapeCount() == 1 ? TensorProtos.shape(list.getShape(0)) : Shape.UNKNOWN;
  }

  private int newRegister(Shape shape) {
    shapes.add(shape);
    return shapes.size() - 1;
  }

  /** Appends the steps of {@code graph} and returns the registers of its results. */
  private List<Integer> append(PrunedGraph graph, List<Integer> arguments, String prefix) {
    List<List<Integer>> registersOf = new ArrayList<>();
    StepOrder.@Nullable Scope scope = order == null ? null : order.enter();
    for (Node node : graph.nodes()) {
      List<Integer> inputs = new ArrayList<>();
      for (Endpoint input : node.inputs()) {
        inputs.add(registersOf.get(input.node()).get(input.output()));
      }
      if (scope == null) {
        registersOf.add(append(node, inputs, arguments, prefix));
      } else {
        scope.begin(node);
        registersOf.add(append(node, inputs, arguments, prefix));
        scope.end(registersOf.getLast());
      }
    }
    return graph.results().stream()
        .map(result -> registersOf.get(result.node()).get(result.output()))
        .toList();
  }

  private List<Integer> append(
      Node node, List<Integer> inputs, List<Integer> arguments, String prefix) {
    if (node.op() == PrunedGraph.ARGUMENT) {
      return List.of(arguments.get((int) node.attrs().integer("index")));
    }
    if (node.op().isCall()) {
      String callee = node.attrs().function("f").name();
      PrunedGraph body = library.body(callee);
      checkCall(node, body);
      return append(body, inputs, prefix + node.name() + "/");
    }
    return node.op().name().equals("Const")
        ? List.of(addConstant(node.attrs().tensor("value")))
        : addStep(node, inputs, prefix);
  }

  private static void checkCall(Node node, PrunedGraph body) {
    if (!node.inputTypes().equals(body.argumentTypes())
        || !node.outputTypes().equals(body.resultTypes())) {
      throw StatusException.invalidArgument(
          "node %s calls function %s with %s -> %s, which takes %s -> %s",
          node.name(),
          node.attrs().function("f").name(),
          node.inputTypes(),
          node.outputTypes(),
          body.argumentTypes(),
          body.resultTypes());
    }
  }

  /** The constants in {@code registers}; empty if one is not known. */
  private List<Tensor> known(List<Integer> registers) {
    List<Tensor> values = new ArrayList<>();
    for (int register : registers) {
      Tensor value = constants.get(register);
      if (value == null) {
        return List.of();
      }
      values.add(value);
    }
    return values;
  }

  private int addConstant(Tensor value) {
    int register = newRegister(value.shape());
    constants.put(register, value);
    return register;
  }

  private List<Integer> addStep(Node node, List<Integer> inputs, String prefix) {
    NodeSpec spec =
        new NodeSpec(
            prefix + node.name(),
            node.op(),
            node.attrs(),
            node.inputTypes(),
            node.outputTypes(),
            library);
    List<Integer> values = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      values.add(node.isRefInput(i) ? inputs.get(i) : readIfReference(inputs.get(i)));
    }
    List<Shape> inferred = inferShapes(node, values);
    List<Tensor> folded = folding.fold(node, spec, known(values), inferred);
    if (!folded.isEmpty()) {
      return folded.stream().map(this::addConstant).toList();
    }
    boolean stepStateful = library.effect(node) == Effect.CHANGES;
    stateful |= stepStateful;
    touchesResources |=
        node.inputTypes().contains(DataType.RESOURCE)
            || node.outputTypes().contains(DataType.RESOURCE);
    int first = shapes.size();
    List<Integer> outputs = new ArrayList<>();
    for (Shape shape : inferred) {
      outputs.add(newRegister(shape));
    }
    for (int i = 0; i < outputs.size(); i++) {
      if (node.isRefOutput(i)) {
        references.put(outputs.get(i), spec);
      }
    }
    add(
        new Step(spec, List.copyOf(values), first, stepStateful, List.of(), Optional.empty()),
        library.mayWait(node));
    return outputs;
  }

  /**
   * The register of the value of {@code register}: itself, or, for a reference, the output of an
   * added read step.
   */
  private int readIfReference(int register) {
    NodeSpec maker = references.get(register);
    if (maker == null) {
      return register;
    }
    DataType dtype = maker.outputTypes().getFirst();
    AttrValue type = AttrValue.newBuilder().setTypeValue(dtype.number()).build();
    Attrs attrs = new Attrs(maker.name(), ReadReference.OP, Map.of("T", type));
    NodeSpec read = NodeSpec.of(maker.name(), ReadReference.OP, attrs, library);
    touchesResources = true;
    int value = newRegister(shapes.get(register));
    add(new Step(read, List.of(register), value, false, List.of(), Optional.empty()), false);
    return value;
  }

  private void add(Step step, boolean mayWait) {
    if (order != null) {
      order.add(step, mayWait);
    }
    steps.add(step);
  }

  private List<Shape> inferShapes(Node node, List<Integer> inputs) {
    int outputs = node.outputTypes().size();
    try {
      List<Shape> inferred = node.op().shapeRule().infer(new KnownInputs(node.attrs(), inputs));
      if (inferred.size() == outputs) {
        return inferred;
      }
    } catch (StatusException e) {
      // The kernel reports the error, with the actual values, if the node runs.
    }
    return Collections.nCopies(outputs, Shape.UNKNOWN);
  }

  private final class KnownInputs implements ShapeFunction.Inputs {
    private final Attrs attrs;
    private final List<Integer> inputs;

    KnownInputs(Attrs attrs, List<Integer> inputs) {
      this.attrs = attrs;
      this.inputs = inputs;
    }

    @Override
    public Attrs attrs() {
      return attrs;
    }

    @Override
    public int count() {
      return inputs.size();
    }

    @Override
    public Shape shape(int index) {
      return shapes.get(inputs.get(index));
    }

    @Override
    public @Nullable Tensor constant(int index) {
      return constants.get(inputs.get(index));
    }
  }

  /** Fuses the steps, and marks on each step the registers whose last use it is. */
  private List<Step> markDead(List<Integer> results) {
    return Program.withDead(
        order == null ? ElementwiseFusion.fuse(steps, constants, results) : steps, results);
  }
}

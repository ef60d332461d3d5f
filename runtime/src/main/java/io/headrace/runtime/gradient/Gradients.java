package io.headrace.runtime.gradient;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds the nodes of a backward pass to a graph, by reverse-mode differentiation, with the same
 * values as TensorFlow's {@code tf.gradients}.
 *
 * <p>The gradient of an op that takes slices of a tensor or of a variable ({@code Gather}, {@code
 * ResourceGather}) is dense.
 */
public final class Gradients {
  /** The gradient rules, by op. */
  static final Map<String, GradientRule> RULES = rules();

  private final GraphBuilder graph;
  private final Map<Key, List<Output>> collected = new HashMap<>();

  private Gradients(GraphBuilder graph) {
    this.graph = graph;
  }

  private record Key(String operation, int output) {
    static Key of(Output output) {
      return new Key(output.operation().name(), output.index());
    }
  }

  /**
   * The gradients of the sum of all elements of {@code ys} with respect to each of {@code xs}, in
   * the dtypes and shapes of {@code xs}; empty for an x on which {@code ys} do not depend.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code ys} is empty, belongs to several graphs or
   *     is not of a floating-point dtype; UNIMPLEMENTED for an op between them that has no gradient
   *     rule
   */
  public static List<Optional<Output>> of(List<Output> ys, List<Output> xs) {
    return of(ys, xs, List.of());
  }

  /**
   * The gradients of the sum of all elements of {@code ys}, weighted by {@code by}, one tensor per
   * y; an empty list stands for ones.
   *
   * @throws StatusException as the other method, and INVALID_ARGUMENT if the sizes of {@code ys}
   *     and {@code by} differ
   */
  public static List<Optional<Output>> of(List<Output> ys, List<Output> xs, List<Output> by) {
    if (!by.isEmpty() && by.size() != ys.size()) {
      throw StatusException.invalidArgument(
          "%d gradients were given for %d results", by.size(), ys.size());
    }
    if (ys.isEmpty()) {
      throw StatusException.invalidArgument("the gradients of nothing were asked for");
    }
    GraphBuilder graph = ys.getFirst().graph();
    for (Output output : join(ys, xs)) {
      if (output.graph() != graph) {
        throw StatusException.invalidArgument(
            "%s is of another graph than %s", output.name(), ys.getFirst().name());
      }
    }
    for (Output y : ys) {
      if (!y.dtype().isDifferentiable()) {
        throw StatusException.invalidArgument(
            "%s is %s, and only floating-point tensors have gradients",
            y.name(), y.dtype().tfName());
      }
      if (y.dtype().isComplex() && by.isEmpty()) {
        throw StatusException.invalidArgument(
            "Gradients of complex tensors (%s) must set grad_ys (y.dtype = %s)",
            y.name(), y.dtype().tfName());
      }
    }
    return new Gradients(graph).derive(ys, xs, by);
  }

  private static List<Output> join(List<Output> ys, List<Output> xs) {
    List<Output> all = new ArrayList<>(ys);
    all.addAll(xs);
    return all;
  }

  private List<Optional<Output>> derive(List<Output> ys, List<Output> xs, List<Output> by) {
    SequencedMap<String, Operation> between = between(ys, xs);
    for (int i = 0; i < ys.size(); i++) {
      add(ys.get(i), by.isEmpty() ? ones(ys.get(i)) : by.get(i));
    }
    for (Operation operation : between.sequencedValues().reversed()) {
      handOn(operation, between.keySet());
    }
    return xs.stream().map(x -> Optional.ofNullable(total(x))).toList();
  }

  private Output ones(Output y) {
    return graph.op("OnesLike").named("gradients/" + y.operation().name()).input(y).build();
  }

  /** The operations between {@code xs} and {@code ys}, by name, in graph order. */
  private static SequencedMap<String, Operation> between(List<Output> ys, List<Output> xs) {
    Set<String> wanted = new HashSet<>();
    xs.forEach(x -> wanted.add(x.operation().name()));
    SequencedMap<String, Operation> reached = new LinkedHashMap<>();
    for (Operation operation : needed(ys)) {
      boolean reaches =
          wanted.contains(operation.name())
              || operation.inputs().stream()
                  .anyMatch(input -> reached.containsKey(input.operation().name()));
      if (reaches) {
        reached.put(operation.name(), operation);
      }
    }
    return reached;
  }

  /** The operations on which {@code ys} depend, in graph order. */
  private static List<Operation> needed(List<Output> ys) {
    Set<String> names = new HashSet<>();
    List<Operation> found = new ArrayList<>();
    Deque<Operation> open = new ArrayDeque<>();
    ys.forEach(y -> open.push(y.operation()));
    while (!open.isEmpty()) {
      Operation operation = open.pop();
      if (names.add(operation.name())) {
        found.add(operation);
        operation.inputs().forEach(input -> open.push(input.operation()));
      }
    }
    found.sort(Comparator.comparingInt(Operation::place));
    return found;
  }

  private void handOn(Operation operation, Set<String> between) {
    List<@Nullable Output> gradients = new ArrayList<>();
    operation.outputs().forEach(output -> gradients.add(total(output)));
    boolean asked = gradients.stream().anyMatch(gradient -> gradient != null);
    boolean leadsOn =
        operation.inputs().stream().anyMatch(input -> between.contains(input.operation().name()));
    if (!asked || !leadsOn || NotDifferentiable.OPS.contains(operation.op())) {
      return;
    }
    GradientRule rule = RULES.get(operation.op());
    if (rule == null) {
      throw StatusException.unimplemented("there is no gradient of %s", operation);
    }
    List<@Nullable Output> handed =
        rule.gradients(new BackpropContext(operation, graph, gradients));
    for (int i = 0; i < handed.size(); i++) {
      Output input = operation.inputs().get(i);
      Output gradient = handed.get(i);
      if (gradient != null && isDifferentiable(input)) {
        add(input, gradient);
      }
    }
  }

  /** Whether {@code input} is a floating-point or complex tensor, or a variable. */
  private static boolean isDifferentiable(Output input) {
    return input.dtype().isDifferentiable() || input.dtype() == DataType.RESOURCE;
  }

  private void add(Output to, Output gradient) {
    collected.computeIfAbsent(Key.of(to), _ -> new ArrayList<>()).add(gradient);
  }

  /** The sum of the gradients that reached {@code output}; null if none did. */
  private @Nullable Output total(Output output) {
    List<Output> gradients = collected.get(Key.of(output));
    if (gradients == null) {
      return null;
    }
    if (gradients.size() > 1) {
      Output sum = graph.op("AddN").named("gradients/AddN").inputs(gradients).build();
      gradients.clear();
      gradients.add(sum);
    }
    return gradients.getFirst();
  }

  private static Map<String, GradientRule> rules() {
    Map<String, GradientRule> rules = new HashMap<>();
    ElementwiseGradients.addTo(rules);
    ComplexGradients.addTo(rules);
    ReductionGradients.addTo(rules);
    ArrayGradients.addTo(rules);
    MovementGradients.addTo(rules);
    ImageGradients.addTo(rules);
    NeuralNetGradients.addTo(rules);
    RandomGradients.addTo(rules);
    SecondOrderGradients.addTo(rules);
    return Map.copyOf(rules);
  }
}

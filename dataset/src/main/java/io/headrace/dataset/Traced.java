package io.headrace.dataset;

import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A lambda that was called once, with symbols for an element.
 *
 * @param function what it computes
 * @param structure what it makes of an element; of a lambda that makes datasets, their elements
 */
record Traced(TracedFunction function, Structure structure) {
  /** That of {@code lambda} for elements of {@code structure}. */
  static Traced of(String name, Structure structure, Functions.OfElement lambda) {
    return of(
        name,
        structure,
        (element, result) -> {
          Object returned = lambda.apply(element);
          result.add(Structure.of(returned));
          return Structure.flatten(returned);
        });
  }

  /**
   * The same of a condition.
   *
   * @throws StatusException INVALID_ARGUMENT if it is no bool
   */
  static Traced condition(String name, Structure structure, Functions.OfElement lambda) {
    Traced traced = of(name, structure, lambda);
    if (!traced.structure.types().equals(List.of(DataType.BOOL))) {
      throw StatusException.invalidArgument(
          "a filter's condition must be a bool, and is %s", traced.structure.types());
    }
    return traced;
  }

  /** The same of a lambda that makes a dataset of each element. */
  static Traced ofDataset(String name, Structure structure, Functions.ElementToDataset lambda) {
    return of(
        name,
        structure,
        (element, result) -> {
          Dataset made = lambda.apply(element);
          result.add(made.structure());
          return List.of(made.build(GraphBuilder.current()));
        });
  }

  private static Traced of(
      String name,
      Structure structure,
      BiFunction<SymbolicElement, List<Structure>, List<Output>> body) {
    List<Structure> result = new ArrayList<>();
    TracedFunction traced =
        FunctionBuilder.trace(
            name,
            OpRegistry.standard(),
            structure.types(),
            structure.shapes(),
            args -> body.apply(new SymbolicElement(structure, args), result));
    return new Traced(traced, result.getFirst());
  }
}

package io.headrace.dataset;

import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.graph.UserCall;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A traced lambda.
 *
 * @param function the traced function
 * @param structure the structure of its result; for a lambda that returns a dataset, of that
 *     dataset's elements
 */
record TracedLambda(TracedFunction function, Structure structure) {
  /** Traces {@code lambda} for elements of {@code structure}. */
  static TracedLambda of(String name, Structure structure, Functions.OfElement lambda) {
    return of(
        name,
        structure,
        (element, result) -> {
          Object returned = lambda.apply(element);
          Structure made = Structure.of(returned);
          List<Output> outputs = Structure.flatten(returned);
          result.add(withDatasets(made, outputs, element));
          return outputs;
        });
  }

  /** The structure of a result whose {@code outputs} may be datasets of {@code element}. */
  private static Structure withDatasets(
      Structure made, List<Output> outputs, SymbolicElement element) {
    Map<Output, Structure> datasets = new HashMap<>();
    Iterator<Output> arguments = element.components().iterator();
    element
        .structure()
        .mapLeaves(leaf -> {
          Output argument = arguments.next();
          if (leaf instanceof Structure.Nested) {
            datasets.put(argument, leaf);
          }
          return leaf;
        });
    Iterator<Output> results = outputs.iterator();
    return made.mapLeaves(leaf -> datasets.getOrDefault(results.next(), leaf));
  }

  /**
   * Traces a predicate.
   *
   * @throws StatusException INVALID_ARGUMENT if its result is not a bool
   */
  static TracedLambda condition(String name, Structure structure, Functions.OfElement lambda) {
    TracedLambda traced = of(name, structure, lambda);
    if (!traced.structure.types().equals(List.of(DataType.BOOL))) {
      throw StatusException.invalidArgument(
          "the condition of %s must be one bool, and is %s", name, traced.structure);
    }
    return traced;
  }

  /** Traces a lambda that returns a dataset. */
  static TracedLambda ofDataset(
      String name, Structure structure, Functions.ElementToDataset lambda) {
    return of(
        name,
        structure,
        (element, result) -> {
          Dataset made = dataset(lambda.apply(element));
          result.add(made.structure());
          return List.of(made.build(GraphBuilder.current()));
        });
  }

  /**
   * The dataset that a lambda returned.
   *
   * @throws StatusException INVALID_ARGUMENT if it is null
   */
  static Dataset dataset(@Nullable Dataset returned) {
    if (returned == null) {
      throw UserCall.nullFrom(Dataset.class, "a Dataset");
    }
    return returned;
  }

  private static TracedLambda of(
      String name,
      Structure structure,
      BiFunction<SymbolicElement, List<Structure>, List<Output>> body) {
    List<Structure> result = new ArrayList<>();
    TracedFunction traced =
        FunctionBuilder.trace(
            UserCall.functionName(name, Dataset.class),
            OpRegistry.standard(),
            structure.types(),
            structure.shapes(),
            args -> body.apply(new SymbolicElement(structure, args), result));
    return new TracedLambda(traced, result.getFirst());
  }
}

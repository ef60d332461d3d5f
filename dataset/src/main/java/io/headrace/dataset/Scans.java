package io.headrace.dataset;

import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.graph.UserCall;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds the node of {@code scan}. */
final class Scans {
  private Scans() {}

  static Dataset of(Dataset input, List<Tensor> initialState, Functions.Scan function) {
    TracedLambda traced = trace(input.structure(), initialState, function);
    return new Dataset(
        traced.structure(),
        DatasetNodeBuilder.on(
            input,
            (graph, rows) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("ScanDataset")
                        .input(rows)
                        .constants(initialState)
                        .inputs(traced.function().captured())
                        .attr("f", traced.function())
                        .attr("preserve_cardinality", true),
                    traced.structure())));
  }

  /** Traces {@code function} until the shapes of its state fit those that it returns. */
  private static TracedLambda trace(
      Structure element, List<Tensor> initialState, Functions.Scan function) {
    List<DataType> types = initialState.stream().map(Tensor::dtype).toList();
    List<Shape> shapes = initialState.stream().map(Tensor::shape).toList();
    // A shape only ever becomes less known, so that this ends.
    while (true) {
      TracedLambda traced = trace(element, types, shapes, function);
      List<Shape> weaker = new ArrayList<>();
      for (int i = 0; i < shapes.size(); i++) {
        weaker.add(
            ZipAndConcatenate.common(shapes.get(i), traced.function().resultShapes().get(i)));
      }
      if (weaker.equals(shapes)) {
        return traced;
      }
      shapes = weaker;
    }
  }

  private static TracedLambda trace(
      Structure element, List<DataType> types, List<Shape> shapes, Functions.Scan function) {
    List<Structure> result = new ArrayList<>();
    int states = types.size();
    TracedFunction traced =
        FunctionBuilder.trace(
            UserCall.functionName("scan", Dataset.class),
            OpRegistry.standard(),
            Stream.concat(types.stream(), element.types().stream()).toList(),
            Stream.concat(shapes.stream(), element.shapes().stream()).toList(),
            args -> {
              SymbolicElement row = new SymbolicElement(element, args.subList(states, args.size()));
              @Nullable Scanned scanned = function.apply(args.subList(0, states), row);
              if (scanned == null) {
                throw UserCall.nullFrom(Dataset.class, "a Scanned");
              }
              checkTypes(types, scanned.state());
              result.add(Structure.of(scanned.output()));
              return Stream.concat(
                      scanned.state().stream(), Structure.flatten(scanned.output()).stream())
                  .toList();
            });
    return new TracedLambda(traced, result.getFirst());
  }

  private static void checkTypes(List<DataType> types, List<Output> state) {
    List<DataType> returned = state.stream().map(Output::dtype).toList();
    if (!returned.equals(types)) {
      throw StatusException.invalidArgument(
          "a scan must return a state of the dtypes of its initial state, %s, and returned %s",
          types, returned);
    }
  }
}

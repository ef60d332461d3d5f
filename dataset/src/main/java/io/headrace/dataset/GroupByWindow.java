package io.headrace.dataset;

import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.graph.UserCall;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Builds the node of {@code groupByWindow}. */
final class GroupByWindow {
  private GroupByWindow() {}

  static Dataset of(
      Dataset input,
      Functions.OfElement key,
      UnaryOperator<Output> windowSize,
      Functions.Reduction reduce) {
    TracedLambda keys = TracedLambda.of("key", input.structure(), key);
    if (!keys.structure().types().equals(List.of(DataType.INT64))
        || !keys.structure().shapes().getFirst().isCompatibleWith(Shape.SCALAR)) {
      throw StatusException.invalidArgument(
          "the key of a group must be a scalar int64, and is %s", keys.structure());
    }
    TracedFunction keyFunction = keys.function();
    TracedFunction size = windowSize(windowSize);
    TracedLambda reduction = reduction(input.structure(), reduce);
    return new Dataset(
        reduction.structure(),
        DatasetNodeBuilder.on(
            input,
            (graph, rows) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("GroupByWindowDataset")
                        .input(rows)
                        .inputs(keyFunction.captured())
                        .inputs(reduction.function().captured())
                        .inputs(size.captured())
                        .attr("key_func", keyFunction)
                        .attr("reduce_func", reduction.function())
                        .attr("window_size_func", size),
                    reduction.structure())));
  }

  /** The function from a key to the size of its windows. */
  private static TracedFunction windowSize(UnaryOperator<Output> size) {
    return FunctionBuilder.trace(
        "window_size",
        OpRegistry.standard(),
        List.of(DataType.INT64),
        List.of(Shape.SCALAR),
        args -> List.of(size.apply(args.getFirst())));
  }

  private static TracedLambda reduction(Structure structure, Functions.Reduction reduce) {
    List<Structure> result = new ArrayList<>();
    TracedFunction traced =
        FunctionBuilder.trace(
            UserCall.functionName("reduce", Dataset.class),
            OpRegistry.standard(),
            List.of(DataType.INT64, DataType.VARIANT),
            List.of(Shape.SCALAR, Shape.SCALAR),
            args -> {
              Dataset group = new Dataset(structure, _ -> args.get(1));
              Dataset reduced = TracedLambda.dataset(reduce.apply(args.get(0), group));
              result.add(reduced.structure());
              return List.of(reduced.build(GraphBuilder.current()));
            });
    return new TracedLambda(traced, result.getFirst());
  }
}

package io.headrace.dispatcher;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.proto.data.DatasetDef;
import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Graphs of ranges whose ends ops compute. */
public final class SourceGraphs {
  private static final OpRegistry OPS = OpRegistry.standard();

  private SourceGraphs() {}

  /** The range from 0 to {@code stop}. */
  public static DatasetDef rangeTo(Function<GraphBuilder, Output> stop) {
    return rangeTo(OPS, stop);
  }

  /** The same, with other ops. */
  public static DatasetDef rangeTo(OpRegistry ops, Function<GraphBuilder, Output> stop) {
    GraphBuilder graph = new GraphBuilder(ops);
    Output range =
        graph
            .op("RangeDataset")
            .input(Tensor.scalar(0L))
            .input(stop.apply(graph))
            .input(Tensor.scalar(1L))
            .types("output_types", List.of(DataType.INT64))
            .shapes("output_shapes", List.of(Shape.SCALAR))
            .build();
    return DatasetDef.newBuilder().setGraph(graph.toDatasetGraph(range)).build();
  }

  /** A node, named "evil", that overwrites {@code file}. */
  public static Operation write(GraphBuilder graph, Path file) {
    return graph
        .op("WriteFile")
        .named("evil")
        .input(text(file.toString()))
        .input(text("overwritten"))
        .buildOperation();
  }

  /** {@code value}, after {@code operation}. */
  public static Output after(GraphBuilder graph, Operation operation, long value) {
    return graph
        .op("Identity")
        .input(Tensor.scalar(value))
        .attr("T", DataType.INT64)
        .after(operation)
        .build();
  }

  /** The number in {@code file}. */
  public static Output numberIn(GraphBuilder graph, Path file) {
    return number(graph, graph.op("ReadFile").input(text(file.toString())).build());
  }

  /** The number in {@code string}. */
  public static Output number(GraphBuilder graph, Output string) {
    return graph.op("StringToNumber").input(string).attr("out_type", DataType.INT64).build();
  }

  /** A loop that never ends. */
  public static Output endless(GraphBuilder graph) {
    List<DataType> types = List.of(DataType.INT64);
    List<Shape> shapes = List.of(Shape.SCALAR);
    return graph
        .op("While")
        .inputs(List.of(graph.constant(Tensor.scalar(0L))))
        .types("T", types)
        .attr(
            "cond",
            FunctionBuilder.trace(
                "always", OPS, types, shapes, _ -> List.of(Ops.constant(Tensor.scalar(true)))))
        .attr("body", FunctionBuilder.trace("same", OPS, types, shapes, x -> x))
        .build();
  }

  /** A scalar string. */
  public static Tensor text(String value) {
    return Tensor.scalar(value.getBytes(UTF_8));
  }
}

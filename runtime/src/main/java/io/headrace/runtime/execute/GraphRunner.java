package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.graph.GraphReader;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Runs a graph without arguments once, as to turn a dataset's graph into a dataset. */
public final class GraphRunner {
  private GraphRunner() {}

  /**
   * Computes {@code results} ({@code node} or {@code node:output}). The values may hold functions
   * of the graph's library, to be called later.
   */
  public static List<Tensor> run(
      GraphDef graph, List<String> results, OpRegistry registry, StepContext step) {
    FunctionLibrary library = new FunctionLibrary(graph.getLibrary(), registry);
    PrunedGraph body =
        ControlFlowPartitioner.partition(GraphReader.read(graph, results, registry), library);
    Program program = new ProgramBuilder(library).build("graph", body, null);
    return new ProgramInstance(program).call(List.of(), step);
  }
}

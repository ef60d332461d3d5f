package io.headrace.dataset;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import java.util.IdentityHashMap;
import java.util.function.BiFunction;

/** Adds a dataset's nodes to a graph. A dataset that several others use is added once per graph. */
@FunctionalInterface
interface DatasetNodeBuilder {
  /** The graph being built, and the outputs of the datasets already added to it. */
  final class Target {
    private final GraphBuilder graph;
    private final IdentityHashMap<Dataset, Output> built = new IdentityHashMap<>();

    Target(GraphBuilder graph) {
      this.graph = graph;
    }

    GraphBuilder graph() {
      return graph;
    }

    /** The output for {@code dataset}; adds its nodes if they are missing. */
    Output build(Dataset dataset) {
      Output known = built.get(dataset);
      if (known == null) {
        known = dataset.recipe().build(this);
        built.put(dataset, known);
      }
      return known;
    }
  }

  /** Adds the nodes; returns the output that holds the dataset. */
  Output build(Target target);

  /** A recipe that transforms the output of another dataset. */
  static DatasetNodeBuilder on(Dataset input, BiFunction<GraphBuilder, Output, Output> add) {
    return target -> add.apply(target.graph(), target.build(input));
  }

  /** Builds {@code op}, setting the attrs for the types and shapes of {@code structure}. */
  static Output typed(NodeBuilder op, Structure structure) {
    return typed(op, structure, "output_types");
  }

  /** The same, with the types in the attr {@code typesAttr}. */
  static Output typed(NodeBuilder op, Structure structure, String typesAttr) {
    return op.types(typesAttr, structure.types())
        .shapes("output_shapes", structure.shapes())
        .build();
  }
}

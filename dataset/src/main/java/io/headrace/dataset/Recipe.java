package io.headrace.dataset;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import java.util.IdentityHashMap;
import java.util.function.BiFunction;

/**
 * How a dataset's nodes are added to a graph. A dataset that others share is added once a graph.
 */
@FunctionalInterface
interface Recipe {
  /** The graph that is being built, and what was added to it already. */
  final class Target {
    private final GraphBuilder graph;
    private final IdentityHashMap<Dataset, Output> built = new IdentityHashMap<>();

    Target(GraphBuilder graph) {
      this.graph = graph;
    }

    GraphBuilder graph() {
      return graph;
    }

    /** The output that is {@code dataset}. */
    Output build(Dataset dataset) {
      Output known = built.get(dataset);
      if (known == null) {
        known = dataset.recipe().build(this);
        built.put(dataset, known);
      }
      return known;
    }
  }

  /** Adds the nodes; the output that is the dataset. */
  Output build(Target target);

  /** A recipe that builds on the output of another dataset. */
  static Recipe on(Dataset input, BiFunction<GraphBuilder, Output, Output> add) {
    return target -> add.apply(target.graph(), target.build(input));
  }

  /** The output of {@code op}, whose elements have {@code structure}. */
  static Output typed(NodeBuilder op, Structure structure) {
    return typed(op, structure, "output_types");
  }

  /** The same where the attr that has the types is called {@code typesAttr}. */
  static Output typed(NodeBuilder op, Structure structure, String typesAttr) {
    return op.types(typesAttr, structure.types())
        .shapes("output_shapes", structure.shapes())
        .build();
  }
}

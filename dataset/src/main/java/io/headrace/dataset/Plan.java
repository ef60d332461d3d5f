package io.headrace.dataset;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.plan.PipelinePlan;
import io.headrace.dataset.plan.PlanText;
import io.headrace.proto.headrace.PlannedStage;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;

/** The plan of a dataset of the Java API as text, with the names in its elements. */
final class Plan {
  private Plan() {}

  /** The plan of {@code dataset}. */
  static String of(Dataset dataset) {
    return of(dataset, false);
  }

  /** The plan of {@code dataset}, with how functions run. */
  static String explained(Dataset dataset) {
    return of(dataset, true);
  }

  private static String of(Dataset dataset, boolean explains) {
    GraphDef graph;
    try {
      graph = dataset.toGraphDef();
    } catch (StatusException _) {
      // A dataset within a lambda refers to nodes of the function that is being traced.
      return "a dataset within a function, of " + dataset.structure();
    }
    List<PlannedStage> stages;
    try {
      stages =
          new ArrayList<>(PipelinePlan.stagesOf(DatasetGraph.read(graph), OpRegistry.standard()));
    } catch (StatusException e) {
      return "a dataset of " + dataset.structure() + ": " + e.message();
    }
    for (int i = 0; i < stages.size(); i++) {
      if (stages.get(i).getConsumer() < 0) {
        stages.set(
            i, stages.get(i).toBuilder().setElements(dataset.structure().toString()).build());
      }
    }
    return String.join("\n", PlanText.lines(stages, explains));
  }
}

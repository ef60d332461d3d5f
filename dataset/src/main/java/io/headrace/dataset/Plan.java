package io.headrace.dataset;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.plan.PipelinePlan;
import io.headrace.dataset.plan.PlanText;
import io.headrace.dataset.plan.RemotePlans;
import io.headrace.proto.headrace.PlannedStage;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

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
    List<String> lines = PlanText.lines(stages, explains);
    return String.join("\n", explains ? withRemotePlans(graph, stages, lines) : lines);
  }

  /** The lines of {@code stages}, and behind each source's what other processes run for it. */
  private static List<String> withRemotePlans(
      GraphDef graph, List<PlannedStage> stages, List<String> lines) {
    Map<String, NodeDef> nodes =
        graph.getNodeList().stream().collect(Collectors.toMap(NodeDef::getName, node -> node));
    List<String> all = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      all.add(lines.get(i));
      NodeDef node = nodes.get(stages.get(i).getNode());
      if (node != null && !stages.get(i).getInner()) {
        behind(node, nodes).forEach(line -> all.add("    " + line));
      }
    }
    return all;
  }

  private static List<String> behind(NodeDef source, Map<String, NodeDef> nodes) {
    for (RemotePlans plans : ServiceLoader.load(RemotePlans.class, Plan.class.getClassLoader())) {
      Optional<List<String>> found = plans.behind(source, index -> constant(source, index, nodes));
      if (found.isPresent()) {
        return found.get();
      }
    }
    return List.of();
  }

  private static Optional<Tensor> constant(NodeDef source, int index, Map<String, NodeDef> nodes) {
    return Optional.of(index)
        .filter(i -> i < source.getInputCount())
        .map(i -> nodes.get(source.getInput(i)))
        .filter(node -> node.getOp().equals("Const"))
        .map(node -> TensorProtos.read(node.getAttrOrThrow("value").getTensor()));
  }
}

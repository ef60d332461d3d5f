package io.headrace.dataset;

import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;

/**
 * The plan of a dataset as text: a line a stage, in the order in which elements pass them, each
 * with its arguments and what its elements are. The stages of each input of a stage with several
 * are indented before it, and those of a dataset that a function returns behind it.
 */
final class Plan {
  /** The width to which stages are filled, so that elements stand below each other. */
  private static final int WIDEST = 72;

  /**
   * A line.
   *
   * @param stage the stage with its arguments, indented
   * @param elements what its elements are
   * @param runs how its functions run; may be empty
   */
  private record Line(String stage, String elements, String runs) {}

  private final OpRegistry registry;
  private final boolean explains;
  private final List<Line> lines = new ArrayList<>();

  private Plan(OpRegistry registry, boolean explains) {
    this.registry = registry;
    this.explains = explains;
  }

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
    Plan plan = new Plan(OpRegistry.standard(), explains);
    NodeDef result = graph.getNode(graph.getNodeCount() - 1);
    plan.addInput(PlanScope.of(graph, plan.registry), result.getInput(0), "", "");
    return plan.text(dataset.structure());
  }

  private String text(Structure structure) {
    int last = lines.size() - 1;
    lines.set(
        last, new Line(lines.get(last).stage(), structure.toString(), lines.get(last).runs()));
    int width =
        lines.stream()
            .mapToInt(line -> line.stage().length())
            .filter(w -> w <= WIDEST)
            .max()
            .orElse(0);
    StringBuilder text = new StringBuilder();
    for (Line line : lines) {
      String row = ("%-" + Math.max(1, width) + "s  %s").formatted(line.stage(), line.elements());
      text.append(text.isEmpty() ? "" : "\n").append(row);
      if (explains && !line.runs().isEmpty()) {
        text.append("  -- ").append(line.runs());
      }
    }
    return text.toString();
  }

  /**
   * Adds the stages up to the dataset that {@code input} refers to.
   *
   * @param first what the first line begins with
   * @param indent what further lines begin with
   */
  private void addInput(PlanScope scope, String input, String first, String indent) {
    NodeDef node = scope.producer(input);
    if (node == null || !PlanScope.isDataset(node)) {
      lines.add(new Line(first + PlanScope.name(input), "", ""));
      return;
    }
    List<String> inputs = scope.datasetInputs(node);
    if (inputs.size() == 1) {
      addInput(scope, inputs.getFirst(), first, indent);
      addStage(scope, node, indent, indent);
      return;
    }
    for (String each : inputs) {
      addInput(scope, each, indent + "- ", indent + "  ");
    }
    addStage(scope, node, inputs.isEmpty() ? first : indent, indent);
  }

  private void addStage(PlanScope scope, NodeDef node, String begin, String indent) {
    List<PlanScope> functions = scope.functions(node);
    List<String> ops = new ArrayList<>();
    List<String> runs = new ArrayList<>();
    for (PlanScope function : functions) {
      if (function.resultDataset().isEmpty()) {
        ops.add(function.opsText());
        runs.add(function.runsText());
      }
    }
    String of = ops.isEmpty() ? "" : " { " + String.join(" | ", ops) + " }";
    lines.add(
        new Line(
            begin + scope.stageText(node) + of,
            scope.elementsText(node),
            String.join("; ", runs.stream().filter(text -> !text.isEmpty()).toList())));
    for (PlanScope function : functions) {
      function
          .resultDataset()
          .ifPresent(result -> addInput(function, result, indent + "  > ", indent + "  > "));
    }
  }
}

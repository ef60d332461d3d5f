package io.headrace.dataset.plan;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.proto.headrace.PlannedCpuNode;
import io.headrace.proto.headrace.PlannedFunction;
import io.headrace.proto.headrace.PlannedPin;
import io.headrace.proto.headrace.PlannedStage;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.execute.FunctionLibrary;
import io.headrace.runtime.execute.FunctionPlan;
import io.headrace.runtime.execute.PinnedPlan;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a dataset's graph, in the order in which elements pass them: each behind its
 * inputs, and the stages of a dataset that a function returns behind the stage that calls it. No op
 * runs; functions are compiled, to tell how they run.
 */
public final class PipelinePlan {
  /** The most stages, inner ones included. */
  private static final int MAX_STAGES = 1000;

  /** Ops that say nothing about what a function computes. */
  private static final Set<String> PLUMBING = Set.of("Identity", "NoOp", "EnsureShape");

  private final FunctionLibrary library;
  private final List<PlannedStage.Builder> stages = new ArrayList<>();

  /** The index of each dataset that has its stage already, by scope and node. */
  private final Map<String, Integer> indices = new HashMap<>();

  private int entered;

  private PipelinePlan(FunctionLibrary library) {
    this.library = library;
  }

  /**
   * The stages of {@code dataset}.
   *
   * @throws StatusException RESOURCE_EXHAUSTED for more than 1,000 of them; INVALID_ARGUMENT for a
   *     dataset that reads itself
   */
  public static List<PlannedStage> stagesOf(DatasetGraph dataset, OpRegistry registry) {
    PipelinePlan plan =
        new PipelinePlan(new FunctionLibrary(dataset.graph().getLibrary(), registry));
    var _ = plan.addInput(PlanScope.of(dataset.graph(), registry), dataset.sink(), false);
    return plan.stages.stream().map(PlannedStage.Builder::build).toList();
  }

  /**
   * Adds the stages up to the dataset that {@code input} refers to.
   *
   * @param inner a function returns that dataset
   * @return the index of that dataset's stage
   */
  private int addInput(PlanScope scope, String input, boolean inner) {
    NodeDef node = scope.producer(input);
    String key = scope.name() + "/" + PlanScope.name(input);
    if (node == null || !PlanScope.isDataset(node)) {
      return add(stage(inner).setNode(PlanScope.name(input)).setText(PlanScope.name(input)));
    }
    @Nullable Integer known = indices.get(key);
    if (known != null) {
      if (known < 0) {
        throw StatusException.invalidArgument("dataset node %s reads itself", node.getName());
      }
      PlannedStage.Builder same = stages.get(known);
      return add(
          stage(inner)
              .setNode(node.getName())
              .setOp(node.getOp())
              .setText(same.getText() + ", as above")
              .setElements(same.getElements()));
    }
    if (++entered > MAX_STAGES) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED, "the dataset has more than %d stages", MAX_STAGES);
    }
    indices.put(key, -1);
    List<Integer> inputs = new ArrayList<>();
    for (String each : scope.datasetInputs(node)) {
      inputs.add(addInput(scope, each, false));
    }
    int index = addStage(scope, node, inner);
    inputs.forEach(of -> stages.get(of).setConsumer(index));
    indices.put(key, index);
    for (PlanScope function : scope.functions(node)) {
      function
          .resultDataset()
          .ifPresent(result -> stages.get(addInput(function, result, true)).setConsumer(index));
    }
    return index;
  }

  private static PlannedStage.Builder stage(boolean inner) {
    return PlannedStage.newBuilder().setConsumer(-1).setInner(inner);
  }

  private int add(PlannedStage.Builder stage) {
    stages.add(stage);
    return stages.size() - 1;
  }

  private int addStage(PlanScope scope, NodeDef node, boolean inner) {
    PlannedStage.Builder stage =
        stage(inner)
            .setNode(node.getName())
            .setOp(node.getOp())
            .setText(scope.stageText(node))
            .setElements(scope.elementsText(node));
    OptionalLong rowBytes = scope.inputRowBytes(node);
    for (PlanScope function : scope.functions(node)) {
      if (function.resultDataset().isEmpty()) {
        stage.addFunctions(function(function.name(), rowBytes));
      }
    }
    return add(stage);
  }

  private static PlannedPin pin(PinnedPlan plan) {
    PlannedPin.Builder pin =
        PlannedPin.newBuilder()
            .setDevice(plan.device())
            .addAllToDevice(plan.toDevice())
            .addAllFromDevice(plan.fromDevice());
    for (PinnedPlan.CpuNode node : plan.onCpu()) {
      pin.addOnCpu(
          PlannedCpuNode.newBuilder()
              .setOp(node.op())
              .setNode(node.node())
              .setReason(node.reason()));
    }
    return pin.build();
  }

  private PlannedFunction function(String name, OptionalLong rowBytes) {
    PlannedFunction.Builder function = PlannedFunction.newBuilder().setName(name);
    FunctionPlan plan;
    try {
      plan = library.plan(name);
    } catch (StatusException e) {
      return function.setObstacle(e.message()).build();
    }
    function
        .addAllOps(plan.ops().stream().filter(op -> !PLUMBING.contains(op)).toList())
        .setFusedOps(plan.fusedOps())
        .setLoops(plan.loops())
        .addAllRowKernels(plan.rowKernels().stream().filter(op -> !PLUMBING.contains(op)).toList());
    plan.pinned().forEach(pinned -> function.addPins(pin(pinned)));
    if (!plan.changing().isEmpty()) {
      String state = plan.changing().size() == 1 ? " has state" : " have state";
      return function.setRowsReason(String.join(", ", plan.changing()) + state).build();
    }
    boolean large = rowBytes.isPresent() && rowBytes.getAsLong() > FunctionPlan.LARGE_ROW_BYTES;
    return large
        ? function.setRowsReason("a row has %,d bytes".formatted(rowBytes.getAsLong())).build()
        : function.setByColumns(true).build();
  }
}

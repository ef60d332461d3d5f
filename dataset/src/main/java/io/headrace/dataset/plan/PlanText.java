package io.headrace.dataset.plan;

import io.headrace.proto.headrace.PlannedFunction;
import io.headrace.proto.headrace.PlannedPin;
import io.headrace.proto.headrace.PlannedStage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The stages of a plan as text: a line a stage, each with its arguments and what its elements are.
 * The stages of each input of a stage with several are indented before it, and those of a dataset
 * that a function returns behind it.
 */
public final class PlanText {
  /** The width to which stages are filled, so that elements stand below each other. */
  private static final int WIDEST = 72;

  /** The ops of a function that are named. */
  private static final int OPS_SHOWN = 6;

  private static final String FUNCTION = "  > ";
  private static final String INPUT = "- ";

  private final List<PlannedStage> stages;

  /** The number of each stage's inputs. */
  private final int[] inputs;

  private PlanText(List<PlannedStage> stages) {
    this.stages = stages;
    inputs = new int[stages.size()];
    for (PlannedStage stage : stages) {
      if (stage.getConsumer() >= 0 && !stage.getInner()) {
        inputs[stage.getConsumer()]++;
      }
    }
  }

  /**
   * The lines of {@code stages}, in their order.
   *
   * @param explains whether lines name functions, and say how they run
   */
  public static List<String> lines(List<PlannedStage> stages, boolean explains) {
    return new PlanText(stages).lines(explains);
  }

  private List<String> lines(boolean explains) {
    List<String> begins = new ArrayList<>();
    for (int i = 0; i < stages.size(); i++) {
      PlannedStage stage = stages.get(i);
      begins.add(begin(i) + stage.getText() + (explains ? names(stage) : "") + ops(stage));
    }
    int width = begins.stream().mapToInt(String::length).filter(w -> w <= WIDEST).max().orElse(0);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < stages.size(); i++) {
      String line =
          ("%-" + Math.max(1, width) + "s  %s")
              .formatted(begins.get(i), stages.get(i).getElements());
      String runs = explains ? runs(stages.get(i)) : "";
      lines.add((runs.isEmpty() ? line : line + "  -- " + runs).stripTrailing());
    }
    return lines;
  }

  /** The indentation of a line; the first line of one of several inputs has a dash. */
  private String begin(int index) {
    int at = index;
    boolean first = inputs[index] == 0;
    while (first && isOnlyInput(at)) {
      at = stages.get(at).getConsumer();
    }
    int consumer = stages.get(at).getConsumer();
    return first && consumer >= 0 && !stages.get(at).getInner()
        ? indent(consumer) + INPUT
        : indent(index);
  }

  private String indent(int index) {
    StringBuilder indent = new StringBuilder();
    for (int at = index; stages.get(at).getConsumer() >= 0; at = stages.get(at).getConsumer()) {
      if (stages.get(at).getInner()) {
        indent.insert(0, FUNCTION);
      } else if (!isOnlyInput(at)) {
        indent.insert(0, " ".repeat(INPUT.length()));
      }
    }
    return indent.toString();
  }

  private boolean isOnlyInput(int index) {
    PlannedStage stage = stages.get(index);
    return stage.getConsumer() >= 0 && !stage.getInner() && inputs[stage.getConsumer()] == 1;
  }

  /** The names that users gave to the stage's functions. */
  private static String names(PlannedStage stage) {
    return stage.getFunctionsList().stream()
        .map(function -> FunctionNames.readable(function.getName()))
        .filter(name -> !name.isEmpty() && !name.startsWith("__"))
        .map(name -> " " + name)
        .collect(Collectors.joining());
  }

  private static String ops(PlannedStage stage) {
    return stage.getFunctionsCount() == 0
        ? ""
        : stage.getFunctionsList().stream()
            .map(function -> shown(function.getOpsList()))
            .collect(Collectors.joining(" | ", " { ", " }"));
  }

  private static String shown(List<String> ops) {
    String shown = ops.stream().limit(OPS_SHOWN).collect(Collectors.joining(", "));
    return ops.size() <= OPS_SHOWN ? shown : shown + ", " + (ops.size() - OPS_SHOWN) + " more";
  }

  /** How the functions of {@code stage} run; empty if it calls none. */
  private static String runs(PlannedStage stage) {
    return stage.getFunctionsList().stream().map(PlanText::runs).collect(Collectors.joining("; "));
  }

  private static String runs(PlannedFunction function) {
    if (!function.getObstacle().isEmpty()) {
      return "can't run: " + function.getObstacle();
    }
    StringBuilder text = new StringBuilder();
    if (!function.getByColumns()) {
      text.append("row by row: ").append(function.getRowsReason());
    } else if (function.getRowKernelsCount() > 0) {
      text.append("rows together, as columns, but for ")
          .append(shown(function.getRowKernelsList()));
    } else {
      text.append("rows together, as columns");
    }
    if (function.getFusedOps() > 0) {
      text.append(
          ", %d of %d ops in %s"
              .formatted(
                  function.getFusedOps(),
                  function.getOpsCount(),
                  function.getLoops() == 1
                      ? "a fused loop"
                      : function.getLoops() + " fused loops"));
    }
    function.getPinsList().forEach(pin -> text.append(", ").append(pinned(pin)));
    return text.toString();
  }

  /** How the nodes that are pinned to a device run. */
  private static String pinned(PlannedPin pin) {
    StringBuilder text = new StringBuilder("on " + pin.getDevice());
    text.append(": copied there ").append(values(pin.getToDeviceList()));
    text.append(", copied back ").append(values(pin.getFromDeviceList()));
    if (pin.getOnCpuCount() > 0) {
      text.append(
          pin.getOnCpuList().stream()
              .map(node ->
                  "%s (node %s: %s)".formatted(node.getOp(), node.getNode(), node.getReason()))
              .collect(Collectors.joining(", ", ", but on the CPU ", "")));
    }
    return text.toString();
  }

  private static String values(List<String> names) {
    return names.isEmpty() ? "nothing" : shown(names);
  }
}

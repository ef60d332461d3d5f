package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a While by TensorFlow 1's loop: a call of its condition and one of its body, and around
 * them Enter, Merge, Switch, NextIteration and Exit for each loop variable. A loop invariant, which
 * the body returns unchanged, enters once as a constant: so a loop may use resources of several
 * tasks.
 */
final class WhileLowering {
  private final LoweredNodeBuilder node;
  private final List<DataType> types;

  /** By input: the input of the condition, an Enter (invariants) or a Merge. */
  private final List<String> current = new ArrayList<>();

  /** By input: the name of the NextIteration; null for a loop invariant. */
  private final List<@Nullable String> next = new ArrayList<>();

  private WhileLowering(LoweredNodeBuilder node) {
    this.node = node;
    this.types = node.node().inputTypes();
  }

  /** Lowers a While with at least one input. */
  static void lower(LoweredNodeBuilder node, FunctionCallGraph functions) {
    FunctionDef body =
        functions.definition(attr(node, "body").getFunc().getName(), node.node().name());
    FunctionDef condition =
        functions.definition(attr(node, "cond").getFunc().getName(), node.node().name());
    new WhileLowering(node).lower(body, condition);
  }

  private static AttrValue attr(LoweredNodeBuilder node, String name) {
    return node.node().attrs().raw(name);
  }

  private void lower(FunctionDef body, FunctionDef condition) {
    begin(new Invariants(body));
    String goesOn = node.add(node.op("goes_on", "LoopCond").addInput(condition(condition)));
    List<String> branches = new ArrayList<>();
    NodeDef.Builder call = node.call("body", attr(node, "body"), types, types);
    for (int i = 0; i < types.size(); i++) {
      if (next.get(i) == null) {
        branches.add("");
        call.addInput(current.get(i));
      } else {
        NodeDef.Builder branch = node.op("switch", "Switch", types.get(i));
        branches.add(node.add(branch.addInput(current.get(i)).addInput(goesOn)));
        call.addInput(branches.get(i) + ":1");
      }
    }
    int first = firstVariable();
    String pivot = node.passOn("pivot", branches.get(first) + ":1", types.get(first), List.of());
    String iteration = node.add(call, List.of(pivot));
    end(branches, iteration);
  }

  private int firstVariable() {
    for (int i = 0; i < next.size(); i++) {
      if (next.get(i) != null) {
        return i;
      }
    }
    throw new IllegalStateException("a loop without variables: " + node.node().name());
  }

  private void begin(Invariants invariants) {
    String frame = node.name("frame");
    List<String> before =
        node.controls().size() > 1
            ? List.of(node.add(node.op("start", "NoOp"), node.controls()))
            : node.controls();
    for (int i = 0; i < types.size(); i++) {
      boolean isInvariant = invariants.is(i);
      NodeDef.Builder enter =
          node.op("enter", "Enter", types.get(i))
              .putAttr("frame_name", StepNode.text(frame))
              .putAttr("is_constant", AttrValue.newBuilder().setB(isInvariant).build())
              .putAttr("parallel_iterations", attr(node, "parallel_iterations"))
              .addInput(node.inputs().get(i));
      String entered = node.add(enter, before);
      if (isInvariant) {
        current.add(entered);
        next.add(null);
      } else {
        String following = node.name("next");
        NodeDef.Builder merge =
            node.op("merge", "Merge", types.get(i))
                .putAttr("N", AttrValue.newBuilder().setI(2).build());
        current.add(node.add(merge.addInput(entered).addInput(following)));
        next.add(following);
      }
    }
  }

  private String condition(FunctionDef function) {
    OpDef signature = function.getSignature();
    DataType type =
        signature.getOutputArgCount() == 1
            ? DataType.ofNumber(signature.getOutputArg(0).getTypeValue())
            : DataType.BOOL; // the call made below fails with the error
    NodeDef.Builder call = node.call("cond", attr(node, "cond"), types, List.of(type));
    current.forEach(call::addInput);
    String result = node.add(call);
    return type == DataType.BOOL
        ? result
        : node.add(ConditionalLowering.cast(node, type).addInput(result));
  }

  private void end(List<String> branches, String iteration) {
    List<String> exits = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      String following = next.get(i);
      if (following != null) {
        var _ =
            node.add(
                NodeDef.newBuilder()
                    .setName(following)
                    .setOp("NextIteration")
                    .setDevice(node.node().device())
                    .putAttr("T", StepNode.type(types.get(i)))
                    .addInput(iteration + ":" + i));
        String exit = node.add(node.op("exit", "Exit", types.get(i)).addInput(branches.get(i)));
        exits.add(exit);
        node.output(i, exit);
      }
    }
    for (int i = 0; i < types.size(); i++) {
      if (next.get(i) == null) {
        List<String> over = exits.subList(0, 1);
        node.output(i, node.passOn("same", node.inputs().get(i), types.get(i), over));
      }
    }
    node.end(exits);
  }

  /** The loop invariants: arguments that the body returns unchanged; never all of them. */
  private static final class Invariants {
    private final Map<String, NodeDef> nodes = new HashMap<>();
    private final List<Boolean> invariants = new ArrayList<>();

    Invariants(FunctionDef body) {
      body.getNodeDefList().forEach(inner -> nodes.put(inner.getName(), inner));
      OpDef signature = body.getSignature();
      for (int i = 0; i < signature.getOutputArgCount(); i++) {
        String result = body.getRetOrDefault(signature.getOutputArg(i).getName(), "");
        invariants.add(
            i < signature.getInputArgCount()
                && source(result).equals(signature.getInputArg(i).getName()));
      }
      if (!invariants.contains(false) && !invariants.isEmpty()) {
        invariants.set(0, false);
      }
    }

    /** The source of {@code text}, followed back through Identity nodes. */
    private String source(String text) {
      String at = text.split(":", 2)[0];
      NodeDef passing = nodes.get(at);
      for (int i = 0; passing != null && i <= nodes.size(); i++) {
        if (!passing.getOp().equals("Identity") || passing.getInputCount() != 1) {
          return at;
        }
        at = passing.getInput(0).split(":", 2)[0];
        passing = nodes.get(at);
      }
      return at;
    }

    boolean is(int index) {
      return index < invariants.size() && invariants.get(index);
    }
  }
}

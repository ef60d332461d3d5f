package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;

/**
 * Replaces an If or a Case by TensorFlow 1's conditional: a Switch for each input, a call for each
 * branch, a Merge for each output.
 */
final class ConditionalLowering {
  private static final String CONTROL = "^";

  private final LoweredNodeBuilder node;

  /** The branch selector: a bool (If) or an int32 (Case). */
  private final String selector;

  private final DataType selectorType;

  private final List<AttrValue> branches;

  /** The names of the Switch nodes, one for each input. */
  private final List<String> switches = new ArrayList<>();

  /** A Switch of the selector itself, for nodes that only need to know which branch is taken. */
  private final String pivot;

  private ConditionalLowering(
      LoweredNodeBuilder node, String selector, DataType selectorType, List<AttrValue> branches) {
    this.node = node;
    this.selector = selector;
    this.selectorType = selectorType;
    this.branches = branches;
    for (int i = 1; i < node.inputs().size(); i++) {
      switches.add(addSwitch("switch", node.inputs().get(i), node.node().inputTypes().get(i)));
    }
    this.pivot = addSwitch("pivot", selector, selectorType);
  }

  /** Lowers an If. */
  static void lowerIf(LoweredNodeBuilder node) {
    List<AttrValue> branches = List.of(attr(node, "else_branch"), attr(node, "then_branch"));
    new ConditionalLowering(node, predicate(node), DataType.BOOL, branches).lower();
  }

  /** Lowers a Case. */
  static void lowerCase(LoweredNodeBuilder node) {
    List<AttrValue> branches = new ArrayList<>();
    for (NameAttrList branch : attr(node, "branches").getList().getFuncList()) {
      branches.add(AttrValue.newBuilder().setFunc(branch).build());
    }
    new ConditionalLowering(node, node.inputs().getFirst(), DataType.INT32, branches).lower();
  }

  private static AttrValue attr(LoweredNodeBuilder node, String name) {
    return node.node().attrs().raw(name);
  }

  /** The first input as the bool that a Switch takes: true if it is not zero. */
  private static String predicate(LoweredNodeBuilder node) {
    String input = node.inputs().getFirst();
    DataType type = node.node().inputTypes().getFirst();
    return type == DataType.BOOL ? input : node.add(cast(node, type).addInput(input));
  }

  /** A Cast to bool, without its input. */
  static NodeDef.Builder cast(LoweredNodeBuilder node, DataType from) {
    return node.op("predicate", "Cast")
        .putAttr("SrcT", StepNode.type(from))
        .putAttr("DstT", StepNode.type(DataType.BOOL));
  }

  private String addSwitch(String label, String input, DataType type) {
    NodeDef.Builder switched =
        selectorType == DataType.BOOL
            ? node.op(label, "Switch", type)
            : node.op(label, "_SwitchN", type).putAttr("num_outs", number(branches.size()));
    return node.add(switched.addInput(input).addInput(selector), node.controls());
  }

  private static AttrValue number(int value) {
    return AttrValue.newBuilder().setI(value).build();
  }

  private void lower() {
    List<String> calls = new ArrayList<>();
    for (int i = 0; i < branches.size(); i++) {
      calls.add(call(i));
    }
    List<DataType> types = node.node().outputTypes();
    List<String> merges = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      int output = i;
      merges.add(merge(types.get(i), calls.stream().map(call -> call + ":" + output).toList()));
      node.output(i, merges.get(i));
    }
    if (merges.isEmpty()) {
      List<String> done = new ArrayList<>();
      for (int i = 0; i < calls.size(); i++) {
        done.add(addBranchPivot("done", i, List.of(calls.get(i))));
      }
      merges.add(merge(selectorType, done));
    }
    node.end(merges);
  }

  private String call(int branch) {
    List<DataType> inputs = node.node().inputTypes();
    NodeDef.Builder call =
        node.call(
            "branch" + branch,
            branches.get(branch),
            inputs.subList(1, inputs.size()),
            node.node().outputTypes());
    switches.forEach(input -> call.addInput(input + ":" + branch));
    if (switches.isEmpty()) {
      call.addInput(CONTROL + addBranchPivot("taken", branch, List.of()));
    }
    return node.add(call);
  }

  /** Adds a node that runs if {@code branch} is taken. */
  private String addBranchPivot(String label, int branch, List<String> controls) {
    return node.add(
        node.op(label, "Identity", selectorType).addInput(pivot + ":" + branch), controls);
  }

  private String merge(DataType type, List<String> inputs) {
    return node.add(
        node.op("merge", "Merge", type).putAttr("N", number(inputs.size())).addAllInput(inputs));
  }
}

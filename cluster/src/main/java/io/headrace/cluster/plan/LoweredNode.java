package io.headrace.cluster.plan;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What takes the place of a node that calls functions: nodes whose names begin with an underscore,
 * the node's name and a slash, and one of the node's own name that is done when they are.
 *
 * <p>No client may give a node a name that begins with an underscore, so these meet no other.
 */
final class LoweredNode {
  private static final String INTERNAL = "_";

  /** What the nodes are collected in that take the place of others. */
  static final class Collected {
    private final Set<String> names;
    final List<NodeDef> nodes = new ArrayList<>();

    /** Where the outputs are of nodes that were lowered. */
    final Map<TensorName, TensorName> outputs;

    /** Nodes that only pass their input on, and are best where it is. */
    final Set<String> followers;

    Collected(
        Collection<String> names, Map<TensorName, TensorName> outputs, Set<String> followers) {
      this.names = new HashSet<>(names);
      this.outputs = outputs;
      this.followers = followers;
    }
  }

  private final NodeDef definition;
  private final Node node;
  private final Collected collected;
  private final String prefix;

  /**
   * @param definition the node
   * @param node the same, checked
   */
  LoweredNode(NodeDef definition, Node node, Collected collected) {
    this.definition = definition;
    this.node = node;
    this.collected = collected;
    this.prefix = (node.name().startsWith(INTERNAL) ? "" : INTERNAL) + node.name() + "/";
  }

  Node node() {
    return node;
  }

  NodeDef definition() {
    return definition;
  }

  /** Its inputs, as a graph names them. */
  List<String> inputs() {
    return definition.getInputList().stream().filter(input -> !input.startsWith("^")).toList();
  }

  /** The names of the nodes that it waits for. */
  List<String> controls() {
    return definition.getInputList().stream()
        .filter(input -> input.startsWith("^"))
        .map(input -> input.substring(1))
        .toList();
  }

  /** A name of its own for a node that is called {@code label} among those of this one. */
  String name(String label) {
    String name = prefix + label;
    for (int i = 1; !collected.names.add(name); i++) {
      name = prefix + label + "_" + i;
    }
    return name;
  }

  /** Begins a node where this one asks to be. */
  NodeDef.Builder op(String label, String op) {
    return NodeDef.newBuilder().setName(name(label)).setOp(op).setDevice(node.device());
  }

  /** The same, with the attr T. */
  NodeDef.Builder op(String label, String op, DataType type) {
    return op(label, op).putAttr("T", StepNode.type(type));
  }

  /** Adds a node; returns its name. */
  String add(NodeDef.Builder added, Collection<String> controls) {
    controls.forEach(control -> added.addInput("^" + control));
    collected.nodes.add(added.build());
    return added.getName();
  }

  String add(NodeDef.Builder added) {
    return add(added, List.of());
  }

  /** Adds a node that passes {@code input} on, where that is, after {@code controls}. */
  String passOn(String label, String input, DataType type, Collection<String> controls) {
    String name = add(op(label, "Identity", type).setDevice("").addInput(input), controls);
    collected.followers.add(name);
    return name;
  }

  /** A call of the function of {@code attr}, which is yet to be given its inputs. */
  NodeDef.Builder call(
      String label, AttrValue function, List<DataType> inputs, List<DataType> outputs) {
    return op(label, isStateful() ? "StatefulPartitionedCall" : "PartitionedCall")
        .putAttr("Tin", types(inputs))
        .putAttr("Tout", types(outputs))
        .putAttr("f", function);
  }

  private boolean isStateful() {
    return switch (node.op().name()) {
      case "If", "Case", "While" -> true;
      default -> false;
    };
  }

  private static AttrValue types(List<DataType> types) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    types.forEach(type -> list.addTypeValue(type.number()));
    return AttrValue.newBuilder().setList(list).build();
  }

  /** Says that {@code source} is in place of output {@code index}. */
  void output(int index, String source) {
    collected.outputs.put(new TensorName(node.name(), index), TensorName.parse(source));
  }

  /** Adds the node of this one's name, which is done when {@code controls} are. */
  void end(Collection<String> controls) {
    NodeDef.Builder done =
        NodeDef.newBuilder().setName(node.name()).setOp("NoOp").setDevice(node.device());
    var _ = add(done, controls);
  }

  /** {@code groups} as the attr that says with which nodes one must be. */
  static AttrValue colocation(Collection<String> groups) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    groups.forEach(group -> list.addS(ByteString.copyFromUtf8(ColocationGroups.PREFIX + group)));
    return AttrValue.newBuilder().setList(list).build();
  }

  /** The node that gives {@code input}. */
  static String nodeOf(String input) {
    return TensorName.parse(input).node();
  }
}

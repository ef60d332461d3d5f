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
 * The replacement of a node that calls functions: nodes whose names begin with an underscore, the
 * node's name and a slash, and a NoOp of the node's own name that runs after them.
 *
 * <p>Clients can't name a node with a leading underscore, so the names are unique.
 */
final class LoweredNodeBuilder {
  private static final String INTERNAL = "_";

  /** Collects the nodes of a lowering round. */
  static final class Collected {
    private final Set<String> names;
    final List<NodeDef> nodes = new ArrayList<>();

    /** The outputs of lowered nodes, each with its replacement. */
    final Map<TensorName, TensorName> outputs;

    /** Identity nodes to be colocated with their input. */
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
   * @param definition the node as a NodeDef
   * @param node the same node, validated
   */
  LoweredNodeBuilder(NodeDef definition, Node node, Collected collected) {
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

  /** The data inputs, in the syntax of a NodeDef. */
  List<String> inputs() {
    return definition.getInputList().stream().filter(input -> !input.startsWith("^")).toList();
  }

  /** The names of the control inputs. */
  List<String> controls() {
    return definition.getInputList().stream()
        .filter(input -> input.startsWith("^"))
        .map(input -> input.substring(1))
        .toList();
  }

  /** A unique name for a replacement node labelled {@code label}. */
  String name(String label) {
    String name = prefix + label;
    for (int i = 1; !collected.names.add(name); i++) {
      name = prefix + label + "_" + i;
    }
    return name;
  }

  /** Starts a replacement node with the device of this node. */
  NodeDef.Builder op(String label, String op) {
    return NodeDef.newBuilder().setName(name(label)).setOp(op).setDevice(node.device());
  }

  /** Starts a replacement node with the attr T. */
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

  /** Adds an Identity of {@code input}, colocated with it and run after {@code controls}. */
  String passOn(String label, String input, DataType type, Collection<String> controls) {
    String name = add(op(label, "Identity", type).setDevice("").addInput(input), controls);
    collected.followers.add(name);
    return name;
  }

  /** A call of {@code function}, without its inputs. */
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

  /** Replaces output {@code index} by {@code source}. */
  void output(int index, String source) {
    collected.outputs.put(new TensorName(node.name(), index), TensorName.parse(source));
  }

  /** Adds the NoOp of this node's name, which runs after {@code controls}. */
  void end(Collection<String> controls) {
    NodeDef.Builder done =
        NodeDef.newBuilder().setName(node.name()).setOp("NoOp").setDevice(node.device());
    var _ = add(done, controls);
  }

  /** {@code groups} as a colocation attr. */
  static AttrValue colocation(Collection<String> groups) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    groups.forEach(group -> list.addS(ByteString.copyFromUtf8(ColocationGroups.PREFIX + group)));
    return AttrValue.newBuilder().setList(list).build();
  }

  /** The name of the node that produces {@code input}. */
  static String nodeOf(String input) {
    return TensorName.parse(input).node();
  }
}

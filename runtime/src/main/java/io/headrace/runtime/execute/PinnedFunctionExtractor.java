package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.graph.DevicePin;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Extracts parts of a function's body as functions. */
final class PinnedFunctionExtractor {
  /** The colocation attr; it may name nodes outside of the part. */
  private static final String COLOCATION = "_class";

  private final String function;
  private final PrunedGraph graph;
  private final FunctionLibrary library;
  private int count;

  PinnedFunctionExtractor(String function, PrunedGraph graph, FunctionLibrary library) {
    this.function = function;
    this.graph = graph;
    this.library = library;
  }

  Effect effectOfCallees(Node node) {
    return library.effectOfCallees(node.attrs());
  }

  /**
   * The nodes {@code members} as a function.
   *
   * @throws StatusException INVALID_ARGUMENT if a resource would cross devices
   */
  PinnedFunction of(
      String pin, List<Integer> members, List<Endpoint> inputs, List<Endpoint> outputs) {
    FunctionDef.Builder part = FunctionDef.newBuilder();
    OpDef.Builder signature = part.getSignatureBuilder();
    signature.setName("__headrace_pinned_" + function + "_" + count++);
    Map<Endpoint, String> names = new HashMap<>();
    for (int i = 0; i < inputs.size(); i++) {
      String name = "pinned_input_" + i;
      names.put(inputs.get(i), name);
      signature.addInputArg(arg(name, inputs.get(i), pin));
    }
    for (int member : members) {
      Node node = graph.nodes().get(member);
      part.addNodeDef(definition(node, members, names));
      if (node.op().isStateful()) {
        signature.setIsStateful(true).addControlOutput(node.name());
        part.putControlRet(node.name(), node.name());
      }
    }
    for (int i = 0; i < outputs.size(); i++) {
      String name = "pinned_output_" + i;
      signature.addOutputArg(arg(name, outputs.get(i), pin));
      part.putRet(name, inFunction(outputs.get(i)));
    }
    return new PinnedFunction(pin, part.build(), callees(part.getNodeDefList()));
  }

  private OpDef.ArgDef arg(String name, Endpoint endpoint, String pin) {
    DataType type = graph.typeOf(endpoint);
    if (type == DataType.RESOURCE) {
      throw StatusException.invalidArgument(
          "node %s gives a resource, which can't go to or come from %s: pin those that use it"
              + " alike, or not at all",
          graph.nodes().get(endpoint.node()).name(), pin);
    }
    return OpDef.ArgDef.newBuilder().setName(name).setTypeValue(type.number()).build();
  }

  private NodeDef definition(Node node, List<Integer> members, Map<Endpoint, String> names) {
    NodeDef.Builder definition =
        NodeDef.newBuilder()
            .setName(node.name())
            .setOp(node.op().name())
            .putAllAttr(node.attrs().values())
            .removeAttr(DevicePin.ATTR)
            .removeAttr(COLOCATION);
    for (Endpoint input : node.inputs()) {
      String name = names.get(input);
      definition.addInput(name == null ? inFunction(input) : name);
    }
    for (int control : node.controlInputs()) {
      if (members.contains(control)) {
        definition.addInput("^" + graph.nodes().get(control).name());
      }
    }
    return definition.build();
  }

  /** An endpoint in the syntax of function bodies: {@code node:output_arg:index}. */
  private String inFunction(Endpoint endpoint) {
    Node node = graph.nodes().get(endpoint.node());
    int index = endpoint.output();
    for (ArgSpec output : node.op().outputs()) {
      int tensors = output.count(node.attrs());
      if (index < tensors) {
        return node.name() + ":" + output.name() + ":" + index;
      }
      index -= tensors;
    }
    throw new IllegalStateException(node.name() + " has no output " + endpoint.output());
  }

  /** The transitive callees of the nodes, which run on the same device. */
  private List<FunctionDef> callees(List<NodeDef> nodes) {
    Map<String, FunctionDef> found = new LinkedHashMap<>();
    Deque<String> pending = new ArrayDeque<>();
    nodes.forEach(node -> pending.addAll(FunctionLibrary.callees(node.getAttrMap())));
    while (!pending.isEmpty()) {
      String name = pending.pop();
      if (!found.containsKey(name)) {
        FunctionDef definition = library.definition(name);
        FunctionDef.Builder plain = definition.toBuilder().clearNodeDef();
        for (NodeDef node : definition.getNodeDefList()) {
          plain.addNodeDef(DevicePin.taken(node));
          pending.addAll(FunctionLibrary.callees(node.getAttrMap()));
        }
        found.put(name, plain.build());
      }
    }
    return List.copyOf(found.values());
  }
}

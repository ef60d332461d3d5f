package io.headrace.runtime.graph;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.runtime.graph.GraphBuilder.BuiltNode;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.AttrKind;
import io.headrace.runtime.op.AttrSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds one node. Dtype and length attrs are inferred from the inputs; other attrs without a
 * default must be set.
 */
public final class NodeBuilder {
  private final GraphBuilder graph;
  private final Op op;
  private final Map<String, AttrValue> attrs = new LinkedHashMap<>();
  private final List<List<Output>> arguments = new ArrayList<>();
  private final List<BuiltNode> after = new ArrayList<>();
  private String name;

  NodeBuilder(GraphBuilder graph, String opName) {
    this.graph = graph;
    this.name = opName;
    Op found = graph.registry().find(opName);
    if (found == null) {
      throw StatusException.unimplemented("op %s is not supported", opName);
    }
    this.op = found;
  }

  /** Sets the name; a number is appended if it is taken. */
  public NodeBuilder named(String newName) {
    this.name = newName;
    return this;
  }

  /** The next input: one tensor. */
  public NodeBuilder input(Output output) {
    arguments.add(List.of(graph.local(output)));
    return this;
  }

  /** The next input: a constant. */
  public NodeBuilder input(Tensor constant) {
    return input(graph.constant(constant));
  }

  /** The next input: a list of tensors. */
  public NodeBuilder inputs(List<Output> outputs) {
    arguments.add(outputs.stream().map(graph::local).toList());
    return this;
  }

  /** The next input: a list of constants. */
  public NodeBuilder constants(List<Tensor> values) {
    return inputs(values.stream().map(graph::constant).toList());
  }

  /** Adds the output of a new node of {@code opName}, without inputs, as the next input. */
  public NodeBuilder node(String opName) {
    return input(graph.op(opName).build());
  }

  /** Adds a control input: the node runs after {@code operation}. */
  public NodeBuilder after(Operation operation) {
    if (operation.builder() != graph) {
      throw StatusException.invalidArgument(
          "%s belongs to another graph, or to a function inside this one: it can be used in the"
              + " function it was given to, and in those inside that",
          operation);
    }
    after.add(operation.node());
    return this;
  }

  /** Sets an attr. */
  public NodeBuilder attr(String attr, AttrValue value) {
    attrs.put(attr, value);
    return this;
  }

  /** Sets a {@code type} attr. */
  public NodeBuilder attr(String attr, DataType type) {
    return attr(attr, AttrValue.newBuilder().setTypeValue(type.number()).build());
  }

  /** Sets a {@code bool} attr. */
  public NodeBuilder attr(String attr, boolean value) {
    return attr(attr, AttrValue.newBuilder().setB(value).build());
  }

  /** Sets an {@code int} attr. */
  public NodeBuilder attr(String attr, long value) {
    return attr(attr, AttrValue.newBuilder().setI(value).build());
  }

  /** Sets a {@code float} attr. */
  public NodeBuilder attr(String attr, float value) {
    return attr(attr, AttrValue.newBuilder().setF(value).build());
  }

  /** Sets a {@code string} attr. */
  public NodeBuilder attr(String attr, String value) {
    return attr(attr, AttrValue.newBuilder().setS(ByteString.copyFromUtf8(value)).build());
  }

  /** Sets a {@code shape} attr. */
  public NodeBuilder attr(String attr, Shape shape) {
    return attr(attr, AttrValue.newBuilder().setShape(TensorProtos.shape(shape)).build());
  }

  /** Sets a {@code list(int)} attr. */
  public NodeBuilder integers(String attr, List<Long> values) {
    return attr(
        attr,
        AttrValue.newBuilder().setList(AttrValue.ListValue.newBuilder().addAllI(values)).build());
  }

  /** Sets a {@code list(string)} attr. */
  public NodeBuilder strings(String attr, List<String> values) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    values.forEach(value -> list.addS(ByteString.copyFromUtf8(value)));
    return attr(attr, AttrValue.newBuilder().setList(list).build());
  }

  /** Sets a {@code func} attr, and adds the function to the graph's library. */
  public NodeBuilder attr(String attr, TracedFunction function) {
    graph.addFunction(function);
    return attr(
        attr,
        AttrValue.newBuilder().setFunc(NameAttrList.newBuilder().setName(function.name())).build());
  }

  /** Sets a {@code list(type)} attr. */
  public NodeBuilder types(String attr, Collection<DataType> types) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    types.forEach(type -> list.addTypeValue(type.number()));
    return attr(attr, AttrValue.newBuilder().setList(list).build());
  }

  /** Sets a {@code list(shape)} attr. */
  public NodeBuilder shapes(String attr, Collection<Shape> shapes) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    shapes.forEach(shape -> list.addShape(TensorProtos.shape(shape)));
    return attr(attr, AttrValue.newBuilder().setList(list).build());
  }

  /** Adds the node and returns its only output. */
  public Output build() {
    return buildAll().getFirst();
  }

  /** Adds the node and returns its outputs. */
  public List<Output> buildAll() {
    return buildOperation().outputs();
  }

  /** Adds the node. */
  public Operation buildOperation() {
    if (arguments.size() != op.inputs().size()) {
      throw StatusException.invalidArgument(
          "op %s takes %d inputs and was given %d",
          op.name(), op.inputs().size(), arguments.size());
    }
    for (int i = 0; i < arguments.size(); i++) {
      inferAttrs(op.inputs().get(i), arguments.get(i));
    }
    for (AttrSpec spec : op.attrs().values()) {
      spec.defaultValue().ifPresent(value -> attrs.putIfAbsent(spec.name(), value));
    }
    List<Output> inputs = arguments.stream().flatMap(List::stream).toList();
    String unique = graph.uniqueName(name);
    new InputDtypes(op, arguments).check(new Attrs(unique, op, attrs));
    return graph.add(
        new BuiltNode(
            unique,
            op,
            Map.copyOf(attrs),
            List.copyOf(inputs),
            List.copyOf(after),
            graph.currentDevice(),
            null));
  }

  private void inferAttrs(ArgSpec spec, List<Output> given) {
    if (spec.isTypeList()) {
      putTypes(spec.typeAttr(), given.stream().map(Output::dtype).toList());
      return;
    }
    if (!spec.numberAttr().isEmpty()) {
      attrs.putIfAbsent(spec.numberAttr(), AttrValue.newBuilder().setI(given.size()).build());
    }
    if (!spec.typeAttr().isEmpty() && !given.isEmpty()) {
      attrs.putIfAbsent(
          spec.typeAttr(),
          AttrValue.newBuilder().setTypeValue(given.getFirst().dtype().number()).build());
    }
  }

  private void putTypes(String attr, List<DataType> types) {
    AttrSpec spec = op.attr(attr);
    if (spec != null && spec.kind() == AttrKind.LIST && !attrs.containsKey(attr)) {
      types(attr, types);
    }
  }
}

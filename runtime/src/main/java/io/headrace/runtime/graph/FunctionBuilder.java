package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/** Builds a function by tracing a lambda. */
public final class FunctionBuilder extends GraphBuilder {
  private static final AtomicLong COUNTER = new AtomicLong();

  private final List<Output> arguments = new ArrayList<>();
  private final Map<Output, Output> captures = new LinkedHashMap<>();

  private FunctionBuilder(OpRegistry registry) {
    super(registry);
  }

  /**
   * Traces {@code lambda}: calls it once with an output for each of {@code types}, and builds a
   * function from the nodes that its results depend on.
   */
  public static TracedFunction trace(
      String name,
      OpRegistry registry,
      List<DataType> types,
      List<Shape> shapes,
      Function<List<Output>, List<Output>> lambda) {
    FunctionBuilder builder = new FunctionBuilder(registry);
    for (int i = 0; i < types.size(); i++) {
      builder.arguments.add(builder.newArgument("args_" + i, types.get(i), shapes.get(i)));
    }
    List<Output> results =
        builder.trace(() ->
            lambda.apply(List.copyOf(builder.arguments)).stream().map(builder::local).toList());
    return builder.finish(uniqueFunctionName(name), results);
  }

  /** Traces a lambda without arguments that captures {@code captured}, in that order. */
  static TracedFunction traceBranch(
      String name, GraphBuilder outer, List<Output> captured, Supplier<List<Output>> lambda) {
    FunctionBuilder builder = new FunctionBuilder(outer.registry());
    captured.forEach(builder::local);
    List<Output> results =
        builder.trace(() -> branchResults(lambda).stream().map(builder::local).toList());
    return builder.finish(uniqueFunctionName(name), results);
  }

  private static List<Output> branchResults(Supplier<List<Output>> lambda) {
    List<Output> results = lambda.get();
    if (results == null || results.stream().anyMatch(Objects::isNull)) {
      throw UserCall.nullFrom(Ops.class, "a List of Outputs, none of them null");
    }
    return results;
  }

  private static String uniqueFunctionName(String name) {
    return "__headrace_" + name + "_" + COUNTER.incrementAndGet();
  }

  private Output newArgument(String name, DataType type, Shape shape) {
    Map<String, AttrValue> attrs =
        Map.of("T", AttrValue.newBuilder().setTypeValue(type.number()).build());
    String unique = uniqueName(name);
    BuiltNode node =
        new BuiltNode(unique, PrunedGraph.ARGUMENT, attrs, List.of(), List.of(), "", unique);
    return new Output(this, node, 0, type, shape);
  }

  @Override
  Output local(Output output) {
    if (output.builder() == this) {
      return output;
    }
    return captures.computeIfAbsent(output, o -> newArgument("captured", o.dtype(), o.shape()));
  }

  private TracedFunction finish(String name, List<Output> results) {
    FunctionDef.Builder function = FunctionDef.newBuilder();
    OpDef.Builder signature = function.getSignatureBuilder().setName(name);
    List<Output> all = new ArrayList<>(arguments);
    all.addAll(captures.values());
    for (int i = 0; i < all.size(); i++) {
      signature.addInputArg(arg(all.get(i).node().name(), all.get(i).dtype()));
      function.putArgAttr(i, shapeAttr(all.get(i).shape()));
    }
    for (int i = 0; i < results.size(); i++) {
      String output = "output_" + i;
      signature.addOutputArg(arg(output, results.get(i).dtype()));
      function.putRet(output, functionInput(results.get(i)));
    }
    Set<BuiltNode> needed = neededBy(results);
    boolean stateful = false;
    for (BuiltNode node : nodes) {
      if (needed.contains(node) || node.op().isStateful()) {
        function.addNodeDef(
            DevicePin.with(node.device(), node.toNodeDef(FunctionBuilder::functionInput)));
      }
      if (node.op().isStateful()) {
        stateful = true;
        signature.addControlOutput(node.name());
        function.putControlRet(node.name(), node.name());
      }
    }
    signature.setIsStateful(stateful);
    Map<String, FunctionDef> library = new LinkedHashMap<>(functions());
    library.put(name, function.build());
    return new TracedFunction(
        name,
        Map.copyOf(library),
        List.copyOf(captures.keySet()),
        results.stream().map(Output::dtype).toList(),
        results.stream().map(Output::shape).toList(),
        stateful);
  }

  private Set<BuiltNode> neededBy(List<Output> results) {
    Set<BuiltNode> needed = new HashSet<>();
    results.forEach(result -> needed.add(result.node()));
    for (int i = nodes.size() - 1; i >= 0; i--) {
      if (needed.contains(nodes.get(i)) || nodes.get(i).op().isStateful()) {
        nodes.get(i).inputs().forEach(input -> needed.add(input.node()));
      }
    }
    return needed;
  }

  private static FunctionDef.ArgAttrs shapeAttr(Shape shape) {
    AttrValue.ListValue list =
        AttrValue.ListValue.newBuilder().addShape(TensorProtos.shape(shape)).build();
    return FunctionDef.ArgAttrs.newBuilder()
        .putAttr("_output_shapes", AttrValue.newBuilder().setList(list).build())
        .build();
  }

  private static OpDef.ArgDef arg(String name, DataType type) {
    return OpDef.ArgDef.newBuilder().setName(name).setTypeValue(type.number()).build();
  }

  /**
   * An input in the syntax of function bodies: {@code argument}, or {@code node:output_arg:index}.
   */
  private static String functionInput(Output output) {
    BuiltNode node = output.node();
    if (node.argument() != null) {
      return node.argument();
    }
    Attrs attrs = new Attrs(node.name(), node.op(), node.attrs());
    int index = output.index();
    for (ArgSpec arg : node.op().outputs()) {
      int count = arg.count(attrs);
      if (index < count) {
        return node.name() + ":" + arg.name() + ":" + index;
      }
      index -= count;
    }
    throw new IllegalStateException(node.name() + " has no output " + output.index());
  }
}

package io.headrace.cluster.plan;

import com.google.protobuf.ByteString;
import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.cluster.plan.StepNode.Source;
import io.headrace.cluster.plan.StepNode.Transfer;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A graph that runs a function on a device, made of TensorFlow's own ops, so that the device's task
 * may be stock. The arguments are fed and the results fetched through the rendezvous. To run the
 * function for many rows, the graph maps it over a dataset of the rows.
 */
public final class PinnedGraph {
  private static final int PRODUCER = 2474;

  private final String prefix;
  private final ClusterDevice device;
  private final PinnedFunction function;
  private final List<StepNode> nodes = new ArrayList<>();
  private final List<String> feeds = new ArrayList<>();
  private final List<String> fetches = new ArrayList<>();
  private FunctionDef called;

  private PinnedGraph(String prefix, ClusterDevice device, PinnedFunction function) {
    this.prefix = prefix;
    this.device = device;
    this.function = function;
    this.called = function.definition();
  }

  /**
   * The graph of {@code function}.
   *
   * @param prefix the prefix of its node names, unique among the graphs of the session
   * @param isRows to run for many rows, whether each input has a row dimension; the number of rows
   *     is then a further input, an int64
   */
  public static PinnedGraph of(
      String prefix,
      ClusterDevice device,
      PinnedFunction function,
      Optional<List<Boolean>> isRows) {
    PinnedGraph graph = new PinnedGraph(prefix, device, function);
    List<Source> inputs = new ArrayList<>();
    for (DataType type : function.inputTypes()) {
      inputs.add(graph.input(type));
    }
    StepNode results = isRows.isEmpty() ? graph.call(inputs) : graph.map(inputs, isRows.get());
    for (int i = 0; i < function.outputTypes().size(); i++) {
      graph.output(new Source(results, i));
    }
    return graph;
  }

  private Source input(DataType type) {
    Transfer transfer = new Transfer(prefix + "_in_" + feeds.size(), device, device, true);
    feeds.add(transfer.key());
    StepNode node = StepNode.receive(transfer.tensorName(), type, transfer);
    nodes.add(node);
    return new Source(node, 0);
  }

  private void output(Source source) {
    Transfer transfer = new Transfer(prefix + "_out_" + fetches.size(), device, device, true);
    fetches.add(transfer.key());
    nodes.add(StepNode.send(transfer.tensorName(), source, transfer));
  }

  private StepNode add(String op, Map<String, AttrValue> attrs, List<DataType> outputs) {
    NodeDef definition = NodeDef.newBuilder().setOp(op).putAllAttr(attrs).build();
    StepNode node = new StepNode(prefix + "_" + op, definition, device, outputs);
    nodes.add(node);
    return node;
  }

  private StepNode call(List<Source> inputs) {
    Map<String, AttrValue> attrs = new LinkedHashMap<>();
    attrs.put("Tin", types(function.inputTypes()));
    attrs.put("Tout", types(function.outputTypes()));
    attrs.put("f", functionAttr());
    attrs.put("config", text(""));
    attrs.put("config_proto", text(""));
    attrs.put("executor_type", text(""));
    StepNode call =
        add(
            called.getSignature().getIsStateful() ? "StatefulPartitionedCall" : "PartitionedCall",
            attrs,
            function.outputTypes());
    call.inputs.addAll(inputs);
    return call;
  }

  private StepNode map(List<Source> inputs, List<Boolean> isRows) {
    List<Integer> rows = indicesOf(isRows, true);
    List<Integer> others = indicesOf(isRows, false);
    FunctionDef.Builder sorted = function.withRowsFirst(isRows).toBuilder();
    sorted.getSignatureBuilder().setName(prefix + "_" + sorted.getSignature().getName());
    called = sorted.build();
    StepNode slices =
        add(
            "TensorSliceDataset",
            Map.of(
                "Toutput_types", types(at(function.inputTypes(), rows)),
                "output_shapes", unknownShapes(rows.size()),
                "is_files", bool(false),
                "metadata", text(""),
                "replicate_on_split", bool(false)),
            List.of(DataType.VARIANT));
    slices.inputs.addAll(at(inputs, rows));
    Map<String, AttrValue> attrs = elements();
    attrs.put("f", functionAttr());
    attrs.put("Targuments", types(at(function.inputTypes(), others)));
    attrs.put("use_inter_op_parallelism", bool(true));
    attrs.put("preserve_cardinality", bool(true));
    attrs.put("force_synchronous", bool(false));
    StepNode mapped = add("MapDataset", attrs, List.of(DataType.VARIANT));
    mapped.inputs.add(new Source(slices, 0));
    mapped.inputs.addAll(at(inputs, others));
    StepNode batched = batched(mapped);
    StepNode single = add("DatasetToSingleElement", elements(), function.outputTypes());
    single.inputs.add(new Source(batched, 0));
    return single;
  }

  private StepNode batched(StepNode dataset) {
    Map<String, AttrValue> attrs = elements();
    attrs.put("parallel_copy", bool(false));
    StepNode always =
        add(
            "Const",
            Map.of(
                "dtype", StepNode.type(DataType.BOOL),
                "value",
                    AttrValue.newBuilder()
                        .setTensor(TensorProtos.write(Tensor.scalar(true)))
                        .build()),
            List.of(DataType.BOOL));
    StepNode batch = add("BatchDatasetV2", attrs, List.of(DataType.VARIANT));
    batch.inputs.add(new Source(dataset, 0));
    batch.inputs.add(input(DataType.INT64));
    batch.inputs.add(new Source(always, 0));
    return batch;
  }

  private Map<String, AttrValue> elements() {
    Map<String, AttrValue> attrs = new LinkedHashMap<>();
    attrs.put("output_types", types(function.outputTypes()));
    attrs.put("output_shapes", unknownShapes(function.outputTypes().size()));
    attrs.put("metadata", text(""));
    return attrs;
  }

  private static List<Integer> indicesOf(List<Boolean> isRows, boolean value) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < isRows.size(); i++) {
      if (isRows.get(i) == value) {
        found.add(i);
      }
    }
    return found;
  }

  private static <T> List<T> at(List<T> all, List<Integer> indices) {
    return indices.stream().map(all::get).toList();
  }

  private AttrValue functionAttr() {
    return AttrValue.newBuilder()
        .setFunc(NameAttrList.newBuilder().setName(called.getSignature().getName()))
        .build();
  }

  private static AttrValue types(List<DataType> types) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    types.forEach(type -> list.addTypeValue(type.number()));
    return AttrValue.newBuilder().setList(list).build();
  }

  private static AttrValue unknownShapes(int count) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    for (int i = 0; i < count; i++) {
      list.addShape(TensorShapeProto.newBuilder().setUnknownRank(true));
    }
    return AttrValue.newBuilder().setList(list).build();
  }

  private static AttrValue bool(boolean value) {
    return AttrValue.newBuilder().setB(value).build();
  }

  private static AttrValue text(String value) {
    return AttrValue.newBuilder().setS(ByteString.copyFromUtf8(value)).build();
  }

  /** The GraphDef to register. */
  public GraphDef definition() {
    GraphDef.Builder graph = GraphDef.newBuilder();
    nodes.forEach(node -> graph.addNode(node.toNodeDef()));
    graph.getLibraryBuilder().addFunction(called).addAllFunction(function.library());
    graph.getVersionsBuilder().setProducer(PRODUCER);
    return graph.build();
  }

  /**
   * {@code inputs} by their rendezvous keys; to run for many rows, the number of rows comes last.
   */
  public Map<String, Tensor> fed(List<Tensor> inputs) {
    Map<String, Tensor> fed = new LinkedHashMap<>();
    for (int i = 0; i < inputs.size(); i++) {
      fed.put(feeds.get(i), inputs.get(i));
    }
    return fed;
  }

  /** The rendezvous keys of the results. */
  public List<String> fetches() {
    return fetches;
  }
}

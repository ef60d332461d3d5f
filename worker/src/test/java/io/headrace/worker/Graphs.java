package io.headrace.worker;

import com.google.protobuf.ByteString;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.DataType;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;

/** Datasets as stock clients register them. */
final class Graphs {
  private Graphs() {}

  /** The numbers from 0 up to {@code stop}. */
  static DatasetDef range(long stop) {
    return DatasetDef.newBuilder().setGraph(rangeNodes(stop).addNode(sink("range"))).build();
  }

  /** The numbers from 0 up to {@code stop}, with the final map that compresses elements. */
  static DatasetDef compressedRange(long stop) {
    GraphDef.Builder graph = rangeNodes(stop);
    graph.addNode(constant("parallel", -1));
    graph.addNode(
        NodeDef.newBuilder()
            .setName("map")
            .setOp("ParallelMapDatasetV2")
            .addInput("range")
            .addInput("parallel")
            .putAttr(
                "f",
                AttrValue.newBuilder()
                    .setFunc(NameAttrList.newBuilder().setName("compress"))
                    .build())
            .putAttr("output_types", types(DataType.DT_VARIANT))
            .putAttr("output_shapes", shapes()));
    graph
        .getLibraryBuilder()
        .addFunction(
            FunctionDef.newBuilder()
                .setSignature(OpDef.newBuilder().setName("compress"))
                .addNodeDef(NodeDef.newBuilder().setName("c").setOp("CompressElement")));
    return DatasetDef.newBuilder().setGraph(graph.addNode(sink("map"))).build();
  }

  /** A range followed by an unknown op. */
  static DatasetDef unsupported() {
    GraphDef.Builder graph = rangeNodes(3);
    graph.addNode(
        NodeDef.newBuilder().setName("frob").setOp("FrobnicateDataset").addInput("range"));
    return DatasetDef.newBuilder().setGraph(graph.addNode(sink("frob"))).build();
  }

  private static GraphDef.Builder rangeNodes(long stop) {
    return GraphDef.newBuilder()
        .addNode(constant("start", 0))
        .addNode(constant("stop", stop))
        .addNode(constant("step", 1))
        .addNode(
            NodeDef.newBuilder()
                .setName("range")
                .setOp("RangeDataset")
                .addInput("start")
                .addInput("stop")
                .addInput("step")
                .putAttr("output_types", types(DataType.DT_INT64))
                .putAttr("output_shapes", shapes())
                .putAttr("metadata", AttrValue.newBuilder().setS(ByteString.EMPTY).build()));
  }

  private static NodeDef sink(String input) {
    return NodeDef.newBuilder()
        .setName("dataset")
        .setOp("_Retval")
        .addInput(input)
        .putAttr("T", AttrValue.newBuilder().setType(DataType.DT_VARIANT).build())
        .putAttr("index", AttrValue.newBuilder().setI(0).build())
        .build();
  }

  private static NodeDef constant(String name, long value) {
    return NodeDef.newBuilder()
        .setName(name)
        .setOp("Const")
        .putAttr("dtype", AttrValue.newBuilder().setType(DataType.DT_INT64).build())
        .putAttr(
            "value",
            AttrValue.newBuilder().setTensor(TensorProtos.write(Tensor.scalar(value))).build())
        .build();
  }

  private static AttrValue types(DataType type) {
    return AttrValue.newBuilder().setList(AttrValue.ListValue.newBuilder().addType(type)).build();
  }

  private static AttrValue shapes() {
    return AttrValue.newBuilder()
        .setList(AttrValue.ListValue.newBuilder().addShape(TensorShapeProto.getDefaultInstance()))
        .build();
  }
}

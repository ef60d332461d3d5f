package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import org.junit.jupiter.api.Test;

final class DatasetGraphTest {
  private static NodeDef.Builder node(String name, String op, String... inputs) {
    NodeDef.Builder node = NodeDef.newBuilder().setName(name).setOp(op);
    for (String input : inputs) {
      node.addInput(input);
    }
    return node;
  }

  private static AttrValue function(String name) {
    return AttrValue.newBuilder().setFunc(NameAttrList.newBuilder().setName(name)).build();
  }

  private static GraphDef.Builder compressed(String mapOp) {
    GraphDef.Builder graph =
        GraphDef.newBuilder()
            .addNode(node("random", "RandomDataset"))
            .addNode(node("map", mapOp, "random").putAttr("f", function("compress")))
            .addNode(node("other", "_Retval", "random"))
            .addNode(node("dataset", "_Retval", "map"));
    graph
        .getLibraryBuilder()
        .addFunction(
            FunctionDef.newBuilder()
                .setSignature(OpDef.newBuilder().setName("compress"))
                .addNodeDef(node("element", "CompressElement"))
                .putRet("identity", "element:compressed:0"));
    return graph;
  }

  @Test
  void read_compressionAtTheSink_isTakenOff() {
    DatasetGraph graph = DatasetGraph.read(compressed("ParallelMapDatasetV2").build());
    assertThat(graph.wasCompressed()).isTrue();
    assertThat(graph.sink()).isEqualTo("random");
    assertThat(graph.ops()).containsExactly("RandomDataset");
  }

  @Test
  void read_mapThatDoesNotCompress_stays() {
    GraphDef.Builder graph = compressed("MapDataset");
    graph.getLibraryBuilder().getFunctionBuilder(0).getNodeDefBuilder(0).setOp("Identity");
    assertThat(DatasetGraph.read(graph.build()).wasCompressed()).isFalse();
    assertThat(DatasetGraph.read(graph.build()).sink()).isEqualTo("map");
  }

  @Test
  void read_noRetval_isNotFound() {
    assertThatThrownBy(() -> DatasetGraph.read(GraphDef.getDefaultInstance()))
        .hasMessage("Failed to find a _Retval op in the given dataset")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.NOT_FOUND);
  }

  @Test
  void load_opInAFunctionThatIsNotSupported_isUnimplementedAndNamesBoth() {
    GraphDef.Builder graph = compressed("MapDataset");
    graph
        .getLibraryBuilder()
        .getFunctionBuilder(0)
        .getNodeDefBuilder(0)
        .setOp("NoSuchOp")
        .putAttr("note", AttrValue.newBuilder().setS(ByteString.EMPTY).build());
    DatasetGraph dataset = DatasetGraph.read(graph.build());
    assertThatThrownBy(() -> dataset.load(OpRegistry.standard(), StepContext.standalone()))
        .hasMessageContaining("NoSuchOp")
        .hasMessageContaining("element")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
  }
}

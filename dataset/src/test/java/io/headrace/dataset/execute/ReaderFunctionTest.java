package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** A reader function that reads other elements than its LoadDataset declares. */
final class ReaderFunctionTest {
  @Test
  void load_ofOtherShapesThanDeclared_isRefused() throws IOException {
    DatasetValue dataset = load(shapes -> shapes.addShape(vectorOf(3)));

    assertThatThrownBy(() -> dataset.iterator(PassReader.context()))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining(
            "reader_func returned a dataset of [int64] with shapes [[]], and elements of [int64]"
                + " with shapes [[3]] are declared");
  }

  @Test
  void load_ofShapesThatMayBeThoseDeclared_isRead() throws IOException {
    DatasetValue dataset =
        load(shapes -> shapes.addShape(TensorShapeProto.newBuilder().setUnknownRank(true)));

    assertThat(PassReader.lines(dataset, 7, 3))
        .containsExactly("int64[] 0", "int64[] 4", "int64[] 8");
  }

  /** Declares the shapes of a dataset that stock loads. */
  private interface Shapes {
    void addTo(AttrValue.ListValue.Builder shapes);
  }

  private static DatasetValue load(Shapes declared) throws IOException {
    byte[] recorded =
        Files.readAllBytes(RecordedPipelinesTest.RECORDED.resolve("load_shards_in_order.graph"));
    GraphDef.Builder graph = GraphDef.parseFrom(recorded).toBuilder();
    for (NodeDef.Builder node : graph.getNodeBuilderList()) {
      if (node.getOp().equals("LoadDataset")) {
        AttrValue.ListValue.Builder shapes = AttrValue.ListValue.newBuilder();
        declared.addTo(shapes);
        node.putAttr("output_shapes", AttrValue.newBuilder().setList(shapes).build());
      }
    }
    return DatasetGraph.read(graph.build()).load(OpRegistry.standard(), StepContext.standalone());
  }

  private static TensorShapeProto.Builder vectorOf(int size) {
    return TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(size));
  }
}

package io.headrace.dispatcher.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OpsInUseTest {
  @Test
  void of_nodesThatTheResultDoesNotNeed_areNotInUse() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(node("used", "RangeDataset"))
            .addNode(node("stray", "OddDataset"))
            .addNode(node("dataset", "_Retval", "used:0"))
            .build();

    assertThat(ops(graph)).containsExactly("RangeDataset");
  }

  @Test
  void of_controlInputs_areInUse() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(node("first", "NoOp"))
            .addNode(node("used", "RangeDataset", "^first"))
            .addNode(node("dataset", "_Retval", "used"))
            .build();

    assertThat(ops(graph)).containsExactly("RangeDataset", "NoOp");
  }

  @Test
  void of_functionsOfAttrs_areInUseWithTheirNodes() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(node("map", "MapDataset").toBuilder().putAttr("f", function("f")))
            .addNode(node("dataset", "_Retval", "map"))
            .setLibrary(
                FunctionDefLibrary.newBuilder()
                    .addFunction(function("f", "out", node("out", "OddOp", "x")))
                    .addFunction(function("unused", "out", node("out", "OtherOp"))))
            .build();

    assertThat(OpsInUse.of(graph))
        .contains(OpUse.newBuilder().setOp("OddOp").setNode("f/out").build());
    assertThat(ops(graph)).doesNotContain("OtherOp");
  }

  @Test
  void of_functionsCalledAsOps_areNoOpsThemselves() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(node("call", "f"))
            .addNode(node("dataset", "_Retval", "call"))
            .setLibrary(
                FunctionDefLibrary.newBuilder()
                    .addFunction(function("f", "out", node("out", "OddOp"))))
            .build();

    assertThat(ops(graph)).containsExactly("OddOp");
  }

  @Test
  void of_graphWithoutResult_needsAllNodes() {
    GraphDef graph = GraphDef.newBuilder().addNode(node("a", "A")).addNode(node("b", "B")).build();

    assertThat(ops(graph)).containsExactlyInAnyOrder("A", "B");
  }

  @Test
  void of_cyclesRecursionAndMissingInputs_end() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(node("a", "A", "b", "gone:7"))
            .addNode(node("b", "B", "a").toBuilder().putAttr("f", function("f")))
            .addNode(node("dataset", "_Retval", "a"))
            .setLibrary(
                FunctionDefLibrary.newBuilder()
                    .addFunction(function("f", "out", node("out", "f", "out"))))
            .build();

    assertThat(ops(graph)).containsExactlyInAnyOrder("A", "B");
  }

  private static List<String> ops(GraphDef graph) {
    return OpsInUse.of(graph).stream().map(OpUse::getOp).toList();
  }

  private static NodeDef node(String name, String op, String... inputs) {
    return NodeDef.newBuilder().setName(name).setOp(op).addAllInput(List.of(inputs)).build();
  }

  private static AttrValue function(String name) {
    return AttrValue.newBuilder().setFunc(NameAttrList.newBuilder().setName(name)).build();
  }

  private static FunctionDef function(String name, String result, NodeDef node) {
    return FunctionDef.newBuilder()
        .setSignature(OpDef.newBuilder().setName(name))
        .addNodeDef(node)
        .putRet("result", result + ":out:0")
        .build();
  }
}

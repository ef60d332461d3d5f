package io.headrace.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GraphReaderTest {
  private static final OpRegistry OPS =
      OpRegistry.of(
          Op.define("Source() -> out: T").attrs("T: type = int64").structural(),
          Op.define("Twice(x: T) -> y: T").attrs("T: type = int64").structural(),
          Op.define("Both(x: T, y: T) -> (low: T, high: T)").attrs("T: type = int64").structural(),
          Op.define("Merge(inputs: N * T) -> (output: T, value_index: int32)")
              .attrs("T: type = int64", "N: int = 2")
              .structural(),
          Op.define("NextIteration(data: T) -> output: T").attrs("T: type = int64").structural());

  @Test
  void read_ordersNodesBehindTheirInputs() {
    PrunedGraph graph =
        read("c", node("c", "Twice", "b"), node("b", "Twice", "a"), node("a", "Source"));

    assertThat(graph.nodes()).extracting(Node::name).containsExactly("a", "b", "c");
  }

  @Test
  void read_leavesOutWhatTheResultDoesNotNeed() {
    PrunedGraph graph = read("a", node("a", "Source"), node("unknown", "NoSuchOp"));

    assertThat(graph.nodes()).extracting(Node::name).containsExactly("a");
  }

  @Test
  void read_opThatIsNotSupported_namesOpAndNode() {
    assertThatThrownBy(() -> read("b", node("a", "NoSuchOp"), node("b", "Twice", "a")))
        .hasMessage("op NoSuchOp (node a) is not supported")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
  }

  @Test
  void read_opThatCallsPython_saysWhy() {
    assertThatThrownBy(() -> read("a", node("a", "PyFunc")))
        .hasMessageStartingWith("op PyFunc (node a) is not supported: it calls a Python function");
  }

  @Test
  void read_cycle_isRefused() {
    assertThatThrownBy(() -> read("a", node("a", "Twice", "b"), node("b", "Twice", "a")))
        .hasMessageContaining("depends on itself");
  }

  @Test
  void read_loopOfTensorFlow1_isClosedFromNextIterationToMerge() {
    PrunedGraph graph =
        read(
            "merge",
            node("merge", "Merge", "a", "next"),
            node("next", "NextIteration", "body"),
            node("body", "Twice", "merge"),
            node("a", "Source"));

    assertThat(graph.nodes()).extracting(Node::name).containsExactly("a", "merge", "body", "next");
    assertThat(graph.nodes().get(1).inputs())
        .containsExactly(new Endpoint(0, 0), new Endpoint(3, 0));
  }

  @Test
  void read_loopOfAnotherDtype_namesItsMerge() {
    NodeDef floats =
        node("next", "NextIteration", "b").toBuilder()
            .putAttr("T", AttrValue.newBuilder().setTypeValue(DataType.FLOAT32.number()).build())
            .build();
    NodeDef source =
        node("b", "Source", "^merge").toBuilder()
            .putAttr("T", AttrValue.newBuilder().setTypeValue(DataType.FLOAT32.number()).build())
            .build();

    assertThatThrownBy(() ->
            read("merge", node("merge", "Merge", "a", "next"), floats, source, node("a", "Source")))
        .hasMessageContaining("input 1 of node merge (op Merge) is float and must be int64");
  }

  @Test
  void read_missingInput_namesBoth() {
    assertThatThrownBy(() -> read("a", node("a", "Twice", "nowhere")))
        .hasMessageContaining("a takes input from nowhere");
  }

  @Test
  void read_tooFewInputs_namesTheNode() {
    assertThatThrownBy(() -> read("b", node("a", "Source"), node("b", "Both", "a")))
        .hasMessageContaining("node b (op Both) has 1 inputs and must have 2");
  }

  @Test
  void read_inputOfAnotherDtype_namesTheNode() {
    NodeDef floats =
        node("a", "Source").toBuilder()
            .putAttr("T", AttrValue.newBuilder().setTypeValue(DataType.FLOAT32.number()).build())
            .build();

    assertThatThrownBy(() -> read("b", floats, node("b", "Twice", "a")))
        .hasMessageContaining("input 0 of node b (op Twice) is float and must be int64");
  }

  @Test
  void read_outputThatTheNodeLacks_isRefused() {
    assertThatThrownBy(() -> read("b", node("a", "Source"), node("b", "Twice", "a:1")))
        .hasMessageContaining("node a (op Source) has 1 outputs");
  }

  @Test
  void read_aHundredThousandNodesDeep_doesNotOverflowTheStack() {
    GraphDef.Builder graph = GraphDef.newBuilder().addNode(node("n0", "Source"));
    for (int i = 1; i <= 100_000; i++) {
      graph.addNode(node("n" + i, "Twice", "n" + (i - 1)));
    }

    assertThat(GraphReader.read(graph.build(), List.of("n100000"), OPS).nodes()).hasSize(100_001);
  }

  @Test
  void opsOf_followsTheResultOnly() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(node("a", "Source"))
            .addNode(node("b", "Twice", "a"))
            .addNode(node("c", "Both", "a", "a"))
            .build();

    assertThat(UnsupportedOps.opsOf(graph, "b")).containsExactlyInAnyOrder("Source", "Twice");
  }

  private static PrunedGraph read(String result, NodeDef... nodes) {
    GraphDef graph = GraphDef.newBuilder().addAllNode(List.of(nodes)).build();
    return GraphReader.read(graph, List.of(result), OPS);
  }

  private static NodeDef node(String name, String op, String... inputs) {
    return NodeDef.newBuilder().setName(name).setOp(op).addAllInput(List.of(inputs)).build();
  }
}

package io.headrace.dispatcher.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.Shuffle;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.Options;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RowOrderTest {
  private static Dataset pipeline(int added) {
    return Dataset.range(9)
        .map(x -> x.add(added))
        .flatMap(x -> Dataset.range(3).map(y -> y.mul(2)))
        .shuffle(4, 7)
        .batch(2);
  }

  private static RowOrder of(GraphDef graph) {
    return RowOrder.of(DatasetDef.newBuilder().setGraph(graph).build());
  }

  private static RowOrder of(Dataset dataset) {
    return of(dataset.toGraphDef());
  }

  private static Optional<String> obstacle(Dataset dataset) {
    return of(dataset).obstacle();
  }

  @Test
  void fingerprint_ofADatasetBuiltAnew_isTheSame() {
    assertThat(of(pipeline(1))).isEqualTo(of(pipeline(1)));
    assertThat(of(pipeline(1)).obstacle()).isEmpty();
  }

  @Test
  void fingerprint_ofRenamedNodesAndFunctions_isTheSame() {
    GraphDef graph = pipeline(1).toGraphDef();
    assertThat(graph.getLibrary().getFunctionCount()).isGreaterThan(1);

    assertThat(of(renamed(graph))).isEqualTo(of(graph));
  }

  @Test
  void fingerprint_ofAnotherConstantInAFunction_isAnother() {
    assertThat(of(pipeline(1)).fingerprint()).isNotEqualTo(of(pipeline(2)).fingerprint());
  }

  @Test
  void fingerprint_ofAnotherOrderOfTransformations_isAnother() {
    Dataset range = Dataset.range(9);

    assertThat(of(range.batch(2).repeat(2)).fingerprint())
        .isNotEqualTo(of(range.repeat(2).batch(2)).fingerprint());
  }

  @Test
  void fingerprint_ofAnotherInputOfTheSameKind_isAnother() {
    Dataset one = Dataset.range(9);
    Dataset other = Dataset.range(8);

    assertThat(of(Dataset.zip(one, other)).fingerprint())
        .isNotEqualTo(of(Dataset.zip(other, one)).fingerprint());
  }

  @Test
  void fingerprint_ofADeepGraph_isFound() {
    GraphDef.Builder graph = GraphDef.newBuilder().addNode(node("n0", "Placeholder"));
    for (int i = 1; i < 200_000; i++) {
      graph.addNode(node("n" + i, "Identity", "n" + (i - 1)));
    }

    assertThat(of(graph.addNode(node("r", "_Retval", "n199999")).build()).fingerprint())
        .isNotZero();
  }

  @Test
  void fingerprint_ofFunctionsAndNodesThatNeedThemselves_isFound() {
    FunctionDef itself =
        FunctionDef.newBuilder()
            .setSignature(
                OpDef.newBuilder()
                    .setName("f")
                    .addOutputArg(OpDef.ArgDef.newBuilder().setName("out")))
            .addNodeDef(
                node("call", "PartitionedCall").toBuilder()
                    .putAttr(
                        "f",
                        AttrValue.newBuilder()
                            .setFunc(NameAttrList.newBuilder().setName("f"))
                            .build()))
            .putRet("out", "call:output:0")
            .build();
    GraphDef.Builder graph =
        GraphDef.newBuilder()
            .addNode(node("a", "Merge", "b", "^a"))
            .addNode(node("b", "f", "a:1"))
            .addNode(node("r", "_Retval", "b"));
    graph.getLibraryBuilder().addFunction(itself);

    assertThat(of(graph.build()).fingerprint()).isNotZero();
  }

  @Test
  void shuffle_withoutASeed_hasNoOrder() {
    assertThat(obstacle(Dataset.range(9).shuffle(3, Shuffle.RANDOM)).orElseThrow())
        .contains("ShuffleDatasetV3", "without a seed");
  }

  @Test
  void shuffle_withoutASeed_inAFunction_hasNoOrder() {
    Dataset nested = Dataset.range(9).flatMap(_ -> Dataset.range(3).shuffle(3, Shuffle.RANDOM));

    assertThat(obstacle(nested).orElseThrow()).contains("without a seed");
  }

  @Test
  void map_thatGivesUpItsOrder_isNamed() {
    Dataset sloppy = Dataset.range(9).mapElement(x -> x.components(), Dataset.AUTOTUNE, false);

    assertThat(obstacle(sloppy).orElseThrow()).contains("ParallelMapDatasetV2", "deterministic");
    assertThat(obstacle(Dataset.range(9).mapElement(x -> x.components(), Dataset.AUTOTUNE, true)))
        .isEmpty();
  }

  @Test
  void interleave_inOrder_hasAnOrder() {
    assertThat(obstacle(Dataset.range(9).interleave(_ -> Dataset.range(2), Interleave.cycle(2))))
        .isEmpty();
  }

  @Test
  void options_thatGiveUpTheOrder_areNamed() {
    NodeDef options =
        node("options", "OptionsDataset", "n").toBuilder()
            .putAttr(
                "serialized_options",
                AttrValue.newBuilder()
                    .setS(Options.newBuilder().setDeterministic(false).build().toByteString())
                    .build())
            .build();
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(node("n", "RangeDataset"))
            .addNode(options)
            .addNode(node("r", "_Retval", "options"))
            .build();

    assertThat(of(graph).obstacle().orElseThrow()).contains("OptionsDataset");
  }

  @Test
  void randomNumbersInAFunction_areNamed_unlessUnused() {
    GraphDef drawn =
        GraphDef.newBuilder()
            .addNode(node("n", "RangeDataset"))
            .addNode(node("random", "RandomUniform", "n"))
            .addNode(node("r", "_Retval", "random"))
            .build();
    assertThat(of(drawn).obstacle().orElseThrow()).contains("RandomUniform");

    GraphDef unused = drawn.toBuilder().setNode(2, node("r", "_Retval", "n")).build();
    assertThat(of(unused).obstacle()).isEmpty();
  }

  private static NodeDef node(String name, String op, String... inputs) {
    return NodeDef.newBuilder().setName(name).setOp(op).addAllInput(List.of(inputs)).build();
  }

  /** The graph with all nodes and functions renamed. */
  private static GraphDef renamed(GraphDef graph) {
    GraphDef.Builder renamed = graph.toBuilder();
    renamed.getNodeBuilderList().forEach(RowOrderTest::rename);
    for (FunctionDef.Builder function : renamed.getLibraryBuilder().getFunctionBuilderList()) {
      function.getSignatureBuilder().setName("other_" + function.getSignature().getName());
      List<String> arguments =
          function.getSignature().getInputArgList().stream().map(OpDef.ArgDef::getName).toList();
      for (NodeDef.Builder node : function.getNodeDefBuilderList()) {
        rename(node);
        for (int i = 0; i < node.getInputCount(); i++) {
          if (arguments.contains(node.getInput(i).substring("other_".length()))) {
            node.setInput(i, node.getInput(i).substring("other_".length()));
          }
        }
      }
      function
          .getRetMap()
          .forEach((result, from) ->
              function.putRet(result, arguments.contains(from) ? from : "other_" + from));
    }
    return renamed.build();
  }

  private static void rename(NodeDef.Builder node) {
    node.setName("other_" + node.getName());
    for (int i = 0; i < node.getInputCount(); i++) {
      String input = node.getInput(i);
      node.setInput(i, input.startsWith("^") ? "^other_" + input.substring(1) : "other_" + input);
    }
    node.getAttrMap()
        .forEach((name, value) -> {
          if (value.hasFunc()) {
            AttrValue.Builder other = value.toBuilder();
            other.getFuncBuilder().setName("other_" + value.getFunc().getName());
            node.putAttr(name, other.build());
          }
        });
  }
}

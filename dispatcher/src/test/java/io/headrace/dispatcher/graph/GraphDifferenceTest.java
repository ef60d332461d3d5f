package io.headrace.dispatcher.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Shuffle;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class GraphDifferenceTest {
  private static Optional<String> between(Dataset first, Dataset second) {
    return GraphDifference.between(def(first.toGraphDef()), def(second.toGraphDef()));
  }

  private static DatasetDef def(GraphDef graph) {
    return DatasetDef.newBuilder().setGraph(graph).build();
  }

  private static Dataset pipeline(int limit, int added, int batch) {
    return Dataset.range(9)
        .flatMap(x -> Dataset.range(3).filter(y -> y.less(limit)).map(y -> y.add(added)))
        .shuffle(4, Shuffle.RANDOM)
        .batch(batch);
  }

  @Test
  void sameProgram_withOtherShuffleSeeds_hasNoDifference() {
    assertThat(between(pipeline(2, 1, 2), pipeline(2, 1, 2))).isEmpty();
    assertThat(
            between(
                Dataset.range(9).shuffle(4, Shuffle.seed(1)),
                Dataset.range(9).shuffle(4, Shuffle.seed(2))))
        .isEmpty();
  }

  @Test
  void otherNodeOrderNamesAndDevices_areNoDifference() {
    GraphDef graph = pipeline(2, 1, 2).toGraphDef();
    List<NodeDef> nodes = new ArrayList<>();
    for (NodeDef node : graph.getNodeList()) {
      NodeDef.Builder renamed = node.toBuilder().setName(renamed(node)).setDevice("/cpu:0");
      for (int i = 0; i < node.getInputCount(); i++) {
        renamed.setInput(i, "other/" + node.getInput(i));
      }
      nodes.add(renamed.build());
    }
    Collections.reverse(nodes);

    assertThat(
            GraphDifference.between(
                def(graph), def(graph.toBuilder().clearNode().addAllNode(nodes).build())))
        .isEmpty();
  }

  private static String renamed(NodeDef node) {
    return "other/" + node.getName();
  }

  @Test
  void otherConstant_isNamedWithBothValues() {
    assertThat(between(pipeline(2, 1, 2), pipeline(2, 1, 3)).orElseThrow())
        .matches(
            "has int64.* 3 as value of Const \\(node .*\\) where the other has int64\\[\\]" + " 2");
  }

  @Test
  void otherTransformation_isNamedWithBothOps() {
    assertThat(between(Dataset.range(9).batch(2), Dataset.range(9)).orElseThrow())
        .matches("has RangeDataset \\(node .*\\) where the other has BatchDatasetV2 \\(node .*\\)");
  }

  @Test
  void otherFunction_isNamedWithItsPlaceAndTheDifferenceInside() {
    assertThat(between(pipeline(2, 1, 2), pipeline(2, 5, 2)).orElseThrow())
        .matches(
            "in the function that is f of FlatMapDataset \\(node .*\\): it in the function that"
                + " is f of (Parallel)?MapDataset.*: it has .* 5 as value of Const .*");
    assertThat(between(pipeline(2, 1, 2), pipeline(1, 1, 2)).orElseThrow())
        .contains("predicate of FilterDataset");
  }

  @Test
  void longChainOfTransformations_isCompared() {
    assertThat(GraphDifference.between(chain("TensorDataset"), chain("RangeDataset")))
        .contains("has RangeDataset (node 0) where the other has TensorDataset (node 0)");
  }

  private static DatasetDef chain(String source) {
    GraphDef.Builder graph = GraphDef.newBuilder();
    graph.addNode(NodeDef.newBuilder().setName("0").setOp(source));
    for (int i = 1; i < 50_000; i++) {
      graph.addNode(
          NodeDef.newBuilder().setName("" + i).setOp("PrefetchDataset").addInput("" + (i - 1)));
    }
    graph.addNode(NodeDef.newBuilder().setName("result").setOp("_Retval").addInput("49999"));
    return def(graph.build());
  }
}

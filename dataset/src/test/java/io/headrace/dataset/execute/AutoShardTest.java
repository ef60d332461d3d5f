package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.shard.AutoShard;
import io.headrace.dataset.execute.shard.AutoShard.Policy;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Cases that the records of {@link RecordedShardsTest} do not cover. */
final class AutoShardTest {
  private static final String FILE =
      "src/test/resources/io/headrace/dataset/execute/recorded/files/vocabulary.txt";

  @Test
  void rewrite_numbersThatAreNone_areRefused() {
    assertFails(StatusCode.INVALID_ARGUMENT, () -> new AutoShard(Policy.FILE, 0, 0))
        .hasMessageContaining("num_workers should be >= 1");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> new AutoShard(Policy.FILE, 2, 2))
        .hasMessageContaining("index should be >= 0 and < 2, currently 2");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> new AutoShard(Policy.HINT, 2, -1));
  }

  @Test
  void file_noFiles_saysWhichSource() {
    DatasetGraph numbers = graph(Dataset.range(5).batch(2));

    assertFails(StatusCode.NOT_FOUND, () -> new AutoShard(Policy.FILE, 2, 0).rewrite(numbers))
        .hasMessageContaining("Found an unshardable source dataset")
        .hasMessageContaining("RangeDataset");
  }

  @Test
  void auto_filesAndOthers_dividesAllByElements() {
    Dataset names = Dataset.tensorSlices(Tensor.vector(FILE, FILE, FILE));
    Dataset both = names.flatMap(name -> Dataset.textLines(name)).concatenate(names);
    DatasetGraph graph = graph(both);

    assertThat(elements(graph)).hasSize(15);
    assertThat(elements(graph, 0)).hasSize(8);
    assertThat(elements(graph, 1)).hasSize(7);
  }

  @Test
  void rewrite_leavesTheGraphItIsGiven_andTheCompressionThatWasTakenOff() {
    DatasetGraph numbers = graph(Dataset.range(5));
    DatasetGraph compressed = new DatasetGraph(numbers.graph(), numbers.sink(), true);
    GraphDef before = compressed.graph();
    DatasetGraph rewritten = new AutoShard(Policy.DATA, 2, 1).rewrite(compressed);

    assertThat(compressed.graph()).isEqualTo(before);
    assertThat(rewritten.wasCompressed()).isTrue();
    assertThat(elements(rewritten)).hasSize(2);
  }

  @Test
  void rewrite_nodeThatIsNotThere_isRefused() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(NodeDef.newBuilder().setName("n").setOp("BatchDataset").addInput("missing"))
            .build();
    DatasetGraph dataset = new DatasetGraph(graph, "n", false);

    assertFails(
            StatusCode.INVALID_ARGUMENT, () -> new AutoShard(Policy.FILE, 2, 0).rewrite(dataset))
        .hasMessageContaining("missing");
  }

  @Test
  void rewrite_nodesInACircle_comesToAnEnd() {
    GraphDef graph =
        GraphDef.newBuilder()
            .addNode(NodeDef.newBuilder().setName("a").setOp("PrefetchDataset").addInput("b"))
            .addNode(NodeDef.newBuilder().setName("b").setOp("PrefetchDataset").addInput("a"))
            .build();
    DatasetGraph dataset = new DatasetGraph(graph, "a", false);

    for (Policy policy : Policy.values()) {
      DatasetGraph rewritten = new AutoShard(policy, 2, 0).rewrite(dataset);
      assertFails(
          StatusCode.INVALID_ARGUMENT,
          () -> rewritten.load(OpRegistry.standard(), StepContext.standalone()));
    }
  }

  private static DatasetGraph graph(Dataset dataset) {
    return DatasetGraph.read(dataset.toGraphDef());
  }

  private static List<String> elements(DatasetGraph dataset, long index) {
    return elements(new AutoShard(Policy.AUTO, 2, index).rewrite(dataset));
  }

  private static List<String> elements(DatasetGraph dataset) {
    DatasetValue value = dataset.load(OpRegistry.standard(), StepContext.standalone());
    List<String> lines = PassReader.lines(value, 10, 100);
    return lines.subList(0, lines.size() - 1);
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      StatusCode code, ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}

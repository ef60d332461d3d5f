package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Shuffle;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.ExplainRequest;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.PlannedFunction;
import io.headrace.proto.headrace.PlannedSharding;
import io.headrace.proto.headrace.PlannedSource;
import io.headrace.proto.headrace.PlannedStage;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.status.StatusCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plans of datasets before they run. */
final class ExplainRpcTest {
  @TempDir Path directory = Path.of("");

  private TestDispatcher dispatcher = new TestDispatcher();

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private DatasetPlan explain(String name) {
    return dispatcher.admin().explain(ExplainRequest.newBuilder().setName(name).build());
  }

  private static PlannedSharding sharding(DatasetPlan plan, ShardingPolicy policy) {
    return plan.getShardingsList().stream()
        .filter(sharding -> sharding.getPolicy() == policy)
        .findFirst()
        .orElseThrow();
  }

  /** Two files of lines. */
  private Dataset lines() throws IOException {
    Files.writeString(directory.resolve("a.txt"), "1\n2\n");
    Files.writeString(directory.resolve("b.txt"), "3\n");
    return Dataset.listFiles(directory + "/*.txt", Shuffle.seed(1))
        .flatMap(file -> Dataset.textLines(file));
  }

  @Test
  void stages_sayHowTheirFunctionsRun() {
    String id =
        dispatcher.register(
            Dataset.range(8)
                .map(x -> x.mul(2).add(1))
                .filter(x -> Ops.randomUniform(0, 1).less(1)));

    DatasetPlan plan = explain(id);

    assertThat(plan.getDatasetId()).isEqualTo(id);
    assertThat(plan.getStagesList())
        .extracting(PlannedStage::getOp)
        .containsExactly("RangeDataset", "MapDataset", "FilterDataset");
    assertThat(plan.getStagesList())
        .extracting(PlannedStage::getConsumer)
        .containsExactly(1, 2, -1);
    PlannedFunction map = plan.getStages(1).getFunctions(0);
    assertThat(map.getByColumns()).isTrue();
    assertThat(map.getOpsList()).containsExactly("Mul", "AddV2");
    assertThat(map.getFusedOps()).isEqualTo(2);
    assertThat(map.getLoops()).isEqualTo(1);
    PlannedFunction filter = plan.getStages(2).getFunctions(0);
    assertThat(filter.getByColumns()).isFalse();
    assertThat(filter.getRowsReason()).startsWith("RandomUniform (node ").endsWith("has state");
  }

  @Test
  void splitSources_areCounted() throws IOException {
    DatasetPlan plan = explain(dispatcher.register(lines()));

    assertThat(plan.getSourcesList())
        .containsExactly(
            PlannedSource.newBuilder()
                .setSplits(2)
                .setFiles(true)
                .setGrouped(true)
                .setFirstFile(directory + "/a.txt")
                .setBytes(6)
                .build());
    assertThat(sharding(plan, ShardingPolicy.DYNAMIC).getPossible()).isTrue();
  }

  @Test
  void sourcesThatCanNotBeFound_saySo_andDynamicShardingIsImpossible() {
    DatasetPlan plan =
        explain(dispatcher.register(Dataset.listFiles(directory + "/none*", Shuffle.RANDOM)));

    assertThat(plan.getSourcesObstacle()).contains("none*");
    assertThat(sharding(plan, ShardingPolicy.DYNAMIC).getPossible()).isFalse();
    assertThat(sharding(plan, ShardingPolicy.DYNAMIC).getHow()).contains("none*");
  }

  @Test
  void guarantees_areThoseThatJobsWouldHave() {
    DatasetPlan plan = explain(dispatcher.register(Dataset.range(8)));

    PlannedSharding dynamic = sharding(plan, ShardingPolicy.DYNAMIC);
    assertThat(dynamic.getGuarantee()).isEqualTo(Guarantee.EXACTLY_ONCE);
    assertThat(dynamic.getGuaranteeReason()).isEmpty();
    assertThat(dynamic.getStockGuarantee()).isEqualTo(Guarantee.AT_MOST_ONCE);
    PlannedSharding off = sharding(plan, ShardingPolicy.OFF);
    assertThat(off.getGuarantee()).isEqualTo(Guarantee.AT_MOST_ONCE);
    assertThat(off.getGuaranteeReason()).contains("use DYNAMIC");
  }

  @Test
  void datasetWhoseRecordsCanNotBeTraced_namesTheStageInTheWay() {
    DatasetPlan plan =
        explain(dispatcher.register(Dataset.range(8).map(x -> Ops.randomUniform(0, 1)).take(5)));

    PlannedSharding dynamic = sharding(plan, ShardingPolicy.DYNAMIC);
    assertThat(dynamic.getGuarantee()).isNotEqualTo(Guarantee.EXACTLY_ONCE);
    assertThat(dynamic.getGuaranteeReason()).containsIgnoringCase("take");
  }

  @Test
  void workersThatCanNotTrace_areAnObstacle() {
    var _ = dispatcher.startWorker("w:1");

    DatasetPlan plan = explain(dispatcher.register(Dataset.range(8)));

    assertThat(sharding(plan, ShardingPolicy.DYNAMIC).getGuaranteeReason())
        .contains("worker w:1 can't trace elements");
  }

  @Test
  void staticSharding_tellsWhereItCuts_orWhyItCanNot() throws IOException {
    dispatcher.close();
    dispatcher =
        new TestDispatcher(DispatcherConfig.builder().workerAddresses(List.of("w:1")).build());

    DatasetPlan files = explain(dispatcher.register(lines().batch(2)));
    DatasetPlan numbers = explain(dispatcher.register(Dataset.range(8)));

    assertThat(sharding(files, ShardingPolicy.FILE).getHow())
        .startsWith("each worker reads its part of the files, which are divided behind");
    assertThat(sharding(files, ShardingPolicy.DATA).getHow()).contains("behind BatchDataset");
    assertThat(sharding(numbers, ShardingPolicy.FILE).getPossible()).isFalse();
    assertThat(sharding(numbers, ShardingPolicy.FILE).getHow()).contains("RangeDataset");
    assertThat(sharding(numbers, ShardingPolicy.FILE_OR_DATA).getPossible()).isTrue();
    assertThat(sharding(numbers, ShardingPolicy.HINT).getPossible()).isFalse();
  }

  @Test
  void staticSharding_needsAListOfWorkers() {
    PlannedSharding data =
        sharding(explain(dispatcher.register(Dataset.range(8))), ShardingPolicy.DATA);

    assertThat(data.getPossible()).isFalse();
    assertThat(data.getHow()).contains("--worker-addresses");
  }

  @Test
  void jobOfADataset_isExplained_withTheGuaranteeThatItHas() {
    String id = dispatcher.register(Dataset.range(8));
    long job = dispatcher.createJob(id, "training");

    DatasetPlan byName = explain("training");
    DatasetPlan byId = explain(Long.toString(job));

    assertThat(byName).isEqualTo(byId);
    assertThat(byName.getDatasetId()).isEqualTo(id);
    assertThat(byName.getJob().getId()).isEqualTo(job);
    assertThat(byName.getJob().getGuarantee()).isEqualTo(Guarantee.AT_MOST_ONCE);
  }

  @Test
  void opThatThisVersionLacks_isNamed() {
    GraphDef.Builder graph = Dataset.range(8).toGraphDef().toBuilder();
    graph
        .getNodeBuilderList()
        .forEach(node -> {
          if (node.getOp().equals("RangeDataset")) {
            node.setOp("OddDataset");
          }
        });
    String id =
        dispatcher
            .stub()
            .getOrRegisterDataset(
                TestDispatcher.dataset().toBuilder()
                    .setDataset(DatasetDef.newBuilder().setGraph(graph))
                    .build())
            .getDatasetId();

    DatasetPlan plan = explain(id);

    assertThat(plan.getOpObstacle()).contains("OddDataset");
    assertThat(plan.getStagesList()).singleElement().matches(s -> s.getText().equals("odd(...)"));
  }

  @Test
  void explain_changesNothing() {
    String id = dispatcher.register(Dataset.range(8));
    int appends = dispatcher.journal().appends();

    var _ = explain(id);

    assertThat(dispatcher.journal().appends()).isEqualTo(appends);
  }

  @Test
  void nameOfNothing_isRefused() {
    assertFails(StatusCode.NOT_FOUND, () -> explain("nothing"))
        .hasMessageContaining("no dataset has the id \"nothing\"");
  }
}

package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.shard.AutoShard;
import io.headrace.dataset.execute.shard.AutoShard.Policy;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each shard of each dataset yields stock TensorFlow's results, for every policy. */
final class RecordedShardsTest {
  private static final Path RECORDED =
      Path.of("src/test/resources/io/headrace/dataset/execute/sharded");

  private static final int MOST = 40;
  private static final List<Integer> WORKERS = List.of(1, 2, 3, 5);

  static Stream<String> datasets() throws IOException {
    try (Stream<Path> files = Files.list(RECORDED)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".graph"))
          .map(name -> name.substring(0, name.length() - ".graph".length()))
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("datasets")
  void rewrite_anyShare_hasWhatTensorFlowFound(String name) throws IOException {
    byte[] graph = Files.readAllBytes(RECORDED.resolve(name + ".graph"));
    DatasetGraph dataset = DatasetGraph.read(GraphDef.parseFrom(graph));
    List<String> expected = Files.readAllLines(RECORDED.resolve(name + ".shares"));
    for (int maxRows : new int[] {1, 3, 1000}) {
      assertThat(shares(dataset, maxRows))
          .as("chunks of at most %d rows", maxRows)
          .isEqualTo(expected);
    }
  }

  private static List<String> shares(DatasetGraph dataset, int maxRows) {
    List<String> found = new ArrayList<>();
    for (Policy policy : Policy.values()) {
      for (int workers : WORKERS) {
        for (int index = 0; index < workers; index++) {
          found.add(policy + " " + workers + " " + index);
          found.addAll(elements(dataset, new AutoShard(policy, workers, index), maxRows));
        }
      }
    }
    return found;
  }

  private static List<String> elements(DatasetGraph dataset, AutoShard share, int maxRows) {
    try {
      DatasetValue value =
          share.rewrite(dataset).load(OpRegistry.standard(), StepContext.standalone());
      return PassReader.lines(value, maxRows, MOST);
    } catch (StatusException e) {
      return List.of("error " + e.code());
    }
  }
}

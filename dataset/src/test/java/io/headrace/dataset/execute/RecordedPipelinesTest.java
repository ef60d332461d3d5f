package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each pipeline yields stock TensorFlow's results, for any size of chunks. */
final class RecordedPipelinesTest {
  static final Path RECORDED = Path.of("src/test/resources/io/headrace/dataset/execute/recorded");

  private static final int MOST = 60;

  static Stream<String> pipelines() throws IOException {
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
  @MethodSource("pipelines")
  void pass_chunksOfAnySize_findsWhatTensorFlowFound(String name) throws IOException {
    GraphDef graph = GraphDef.parseFrom(Files.readAllBytes(RECORDED.resolve(name + ".graph")));
    DatasetGraph dataset = DatasetGraph.read(graph);
    List<String> expected = Files.readAllLines(RECORDED.resolve(name + ".elements"));
    assertThat(dataset.wasCompressed()).isFalse();
    // Skipped, visibly, while a kernel is missing.
    assumeThat(dataset.ops()).allMatch(op -> OpRegistry.standard().find(op) != null);
    for (int maxRows : new int[] {1, 2, 7, 1000}) {
      DatasetValue value = dataset.load(OpRegistry.standard(), StepContext.standalone());
      List<String> found = new ArrayList<>();
      for (int pass = 1; pass <= 2; pass++) {
        found.add("pass " + pass);
        found.addAll(PassReader.lines(value, maxRows, MOST));
      }
      assertThat(found).as("chunks of at most %d rows", maxRows).isEqualTo(expected);
    }
  }
}

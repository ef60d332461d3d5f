package io.headrace.dataset.execute;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pipelines of the Java API yield what TensorFlow's API yields for pipelines of the same names. */
final class JavaPipelinesTest {
  private static final int MOST = 60;

  static Stream<String> pipelines() {
    return JavaPipelines.ALL.keySet().stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("pipelines")
  void pass_overAPipelineOfTheJavaApi_findsWhatTensorFlowFound(String name) throws IOException {
    Dataset dataset = requireNonNull(JavaPipelines.ALL.get(name)).get();

    assertThat(lines(dataset))
        .isEqualTo(Files.readAllLines(RecordedPipelinesTest.RECORDED.resolve(name + ".elements")));
  }

  private static List<String> lines(Dataset dataset) {
    DatasetValue value =
        DatasetGraph.read(dataset.toGraphDef())
            .load(OpRegistry.standard(), StepContext.standalone());
    List<String> lines = new ArrayList<>();
    for (int pass = 1; pass <= 2; pass++) {
      lines.add("pass " + pass);
      lines.addAll(PassReader.lines(value, 7, MOST));
    }
    return lines;
  }
}

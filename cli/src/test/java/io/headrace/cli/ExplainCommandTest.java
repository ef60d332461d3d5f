package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Placement;
import io.headrace.dataset.Shuffle;
import io.headrace.runtime.graph.Ops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans of graphs in files, without a dispatcher. */
final class ExplainCommandTest {
  @TempDir Path directory = Path.of("");

  private CommandRun explain(Dataset dataset) throws IOException {
    Path file = directory.resolve("graph.pb");
    Files.write(file, dataset.toGraphDef().toByteArray());
    return CommandRun.of("explain", file.toString());
  }

  @Test
  void graphInAFile_isExplained() throws IOException {
    Files.writeString(directory.resolve("a.txt"), "1\n2\n");
    Dataset lines =
        Dataset.listFiles(directory + "/*.txt", Shuffle.seed(1))
            .flatMap(file -> Dataset.textLines(file))
            .batch(2);

    CommandRun run = explain(lines);

    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(run.out().lines())
        .doesNotContain("dataset")
        .anySatisfy(line -> assertThat(line).startsWith("  > text_line("))
        .anySatisfy(line ->
            assertThat(line).startsWith("source:  1 files, 4 B: ").contains("of several records"))
        .anySatisfy(
            line -> assertThat(line).startsWith("file:         each worker reads its part"));
  }

  @Test
  void obstacles_areNamed() throws IOException {
    CommandRun run = explain(Dataset.range(8).map(x -> Ops.randomUniform(0, 1)).take(3));

    assertThat(run.out())
        .contains("row by row: RandomUniform (node ")
        .containsPattern("map\\(\\) ExplainCommandTest:\\d+ \\{ RandomUniform")
        .containsPattern("file: +not possible: Found an unshardable source dataset")
        .containsPattern("dynamic: .*\n +at (least|most) once: ");
  }

  @Test
  void pinnedParts_areShownWithTheirCopies() throws IOException {
    CommandRun run =
        explain(Dataset.range(8).map(x -> x.mul(2L).asString(), Placement.device("/gpu:0")));

    assertThat(run.out())
        .containsPattern("on /device:GPU:0: copied there args_0, copied back Mul")
        .containsPattern("but on the CPU AsString \\(node \\w+: no GPU kernel\\)");
  }

  @Test
  void fileThatIsNotThere_isNamed_withTheFlagForDispatchers() {
    CommandRun run = CommandRun.of("explain", directory + "/nothing");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("is no file").contains("--dispatcher=HOST:PORT");
  }

  @Test
  void graphWithoutADataset_isRefused() throws IOException {
    Path file = directory.resolve("graph.pb");
    Files.writeString(file, "node { name: \"a\" op: \"NoOp\" }");

    CommandRun run = CommandRun.of("explain", file.toString());

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).hasLineCount(1).contains("_Retval");
  }
}

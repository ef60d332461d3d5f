package io.headrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

final class OpsCommandTest {
  @Test
  void ops_areListedByName_withDtypesAndWhatDiffers() {
    String page = CommandRun.of("ops").out();

    assertThat(page)
        .contains("\n| Sub | x: T, y: T | z: T | T: ")
        .contains("\n| RangeDataset |")
        .contains("\n| DataServiceDatasetV4 |")
        .containsPattern("\\| StaticRegexFullMatch \\|[^\\n]* \\| \\S[^\\n]* \\|\\n");
  }

  @Test
  void gpuColumn_saysWhatRunsThere() {
    assertThat(CommandRun.of("ops").out())
        .containsPattern("\\n\\| Sub \\|[^\\n]*\\| kernel \\|")
        .containsPattern("\\n\\| Identity \\|[^\\n]*\\| host \\|")
        .containsPattern("\\n\\| RangeDataset \\|[^\\n]*\\| host \\|")
        .doesNotContainPattern(
            "\\n\\| (AsString|MatrixInverse|Real) \\|[^\\n]*\\| (host|kernel) \\|");
  }

  @Test
  void opsPage_inDocs_isWhatTheCommandSays() throws IOException {
    assertThat(Files.readString(root().resolve("docs/ops.md")))
        .as("docs/ops.md is stale: write it anew with ./headrace ops > docs/ops.md")
        .isEqualTo(CommandRun.of("ops").out());
  }

  /**
   * The family {@code kernels} of the oracle lists every op with CPU kernels. An op that is added
   * must be deleted from absent-ops.txt.
   */
  @Test
  void absentOps_andOurs_areAllThatTensorFlowHas() throws IOException {
    Set<String> ours =
        OpRegistry.standard().ops().stream().map(Op::name).collect(Collectors.toSet());
    Set<String> missing = new TreeSet<>(stock());
    missing.removeAll(ours);

    assertThat(AbsentOps.byKind().values().stream().flatMap(List::stream).sorted())
        .containsExactlyElementsOf(missing);
  }

  private static Set<String> stock() throws IOException {
    Path recorded =
        root().resolve("kernels/src/test/resources/io/headrace/kernels/oracle/kernels.txt.gz");
    try (InputStream in = new GZIPInputStream(Files.newInputStream(recorded))) {
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .map(line -> line.split(" ", -1)[0])
          .collect(Collectors.toSet());
    }
  }

  /** The root of the source tree: the nearest parent folder with the launcher. */
  private static Path root() {
    return Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
        .filter(folder -> Files.exists(folder.resolve("headrace")))
        .findFirst()
        .orElseThrow();
  }
}

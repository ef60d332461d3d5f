package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
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
  void opsPage_inDocs_isWhatTheCommandSays() throws IOException {
    assertThat(Files.readString(root().resolve("docs/ops.md")))
        .as("docs/ops.md is stale: write it anew with ./headrace ops > docs/ops.md")
        .isEqualTo(CommandRun.of("ops").out());
  }

  /** The root of the source tree: the nearest parent folder with the launcher. */
  private static Path root() {
    return Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
        .filter(folder -> Files.exists(folder.resolve("headrace")))
        .findFirst()
        .orElseThrow();
  }
}

package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MetricsCommandTest {
  private static final Pattern NAME = Pattern.compile("\\b(?:headrace|jvm)_[a-z0-9_]+\\b");

  /** Words of expressions that look like metrics. */
  private static final Set<String> HISTOGRAM_ENDINGS = Set.of("_bucket", "_count", "_sum");

  private static Path docs(String name) {
    return HouseDrawingTest.root().resolve("docs").resolve(name);
  }

  @Test
  void metricsPage_inDocs_isWhatTheCommandSays() throws IOException {
    assertThat(Files.readString(docs("metrics.md")))
        .as("docs/metrics.md is stale: write it anew with ./headrace metrics > docs/metrics.md")
        .isEqualTo(CommandRun.of("metrics").out());
  }

  /** A rule on a metric that is not there never fires. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "monitoring/alerts.yml",
        "monitoring/alerts-test.yml",
        "monitoring/dashboard.json"
      })
  void metricsOfRulesAndPanels_areThere(String file) throws IOException {
    Set<String> listed = names(CommandRun.of("metrics").out());
    String text = Files.readString(docs(file));
    Set<String> used = names(text);

    assertThat(used).isNotEmpty();
    assertThat(used.stream().map(MetricsCommandTest::withoutEnding)).isSubsetOf(listed);
  }

  private static String withoutEnding(String name) {
    return HISTOGRAM_ENDINGS.stream()
        .filter(name::endsWith)
        .map(ending -> name.substring(0, name.length() - ending.length()))
        .findFirst()
        .orElse(name);
  }

  private static Set<String> names(String text) {
    return NAME.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
  }
}

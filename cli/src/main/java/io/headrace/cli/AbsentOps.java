package io.headrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The ops with CPU kernels in TensorFlow that Headrace lacks, by kind. */
final class AbsentOps {
  private static final String RESOURCE = "absent-ops.txt";
  private static final String HEADING = "# ";

  private AbsentOps() {}

  /** The names of the ops, by what they are for; in the order of the resource. */
  static Map<String, List<String>> byKind() {
    Map<String, List<String>> result = new LinkedHashMap<>();
    List<String> names = new ArrayList<>();
    for (String line : text().split("\n", -1)) {
      if (line.startsWith(HEADING)) {
        names = new ArrayList<>();
        result.put(line.substring(HEADING.length()), names);
      } else if (!line.isBlank()) {
        names.addAll(Arrays.asList(line.split(" ", -1)));
      }
    }
    return result;
  }

  private static String text() {
    try (InputStream in = AbsentOps.class.getResourceAsStream(RESOURCE)) {
      return new String(Objects.requireNonNull(in, RESOURCE).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The section of docs/ops.md. */
  static String section() {
    Map<String, List<String>> ops = byKind();
    int count = ops.values().stream().mapToInt(List::size).sum();
    String rows =
        ops.entrySet().stream()
            .map(kind -> "| " + kind.getKey() + " | " + String.join(", ", kind.getValue()) + " |\n")
            .collect(Collectors.joining());
    return """

    ## Absent ops

    The %d other ops that TensorFlow 2.21 offers with CPU kernels. None occurs in the pipelines that Headrace is tried with.

    | kind | ops |
    |---|---|
    """
            .formatted(count)
        + rows;
  }
}

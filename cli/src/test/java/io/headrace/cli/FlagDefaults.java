package io.headrace.cli;

import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** The flags of a command with their defaults, for tests that pin both. */
final class FlagDefaults {
  private FlagDefaults() {}

  /** Every flag of {@code command} with its default, or "none". */
  static Map<String, String> of(Object command) {
    return new CommandLine(command)
        .getCommandSpec().options().stream()
            .collect(
                Collectors.toMap(
                    option -> option.longestName(),
                    option -> Objects.requireNonNullElse(option.defaultValue(), "none")));
  }
}

package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

final class HeadraceTest {
  static Stream<CommandSpec> commands() {
    return Headrace.commandLine().getSubcommands().values().stream()
        .map(CommandLine::getCommandSpec);
  }

  @Test
  void help_listsTheCommands_andSucceeds() {
    CommandRun run = CommandRun.of("--help");

    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("version").doesNotContain("train-aot");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void version_namesHeadraceAndItsVersion() {
    CommandRun run = CommandRun.of("version");

    assertThat(run.status()).isZero();
    assertThat(run.out()).matches("headrace \\d+\\.\\d+\\.\\d+(-SNAPSHOT)? \\(.*\\)\\R");
  }

  @Test
  void noCommand_isRefusedInOneLine() {
    CommandRun run = CommandRun.of();

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).isEqualTo("headrace: no command given; see headrace --help\n");
  }

  @Test
  void unknownCommand_isRefusedInOneLine_withTheLikelyOne() {
    CommandRun run = CommandRun.of("versoin");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "headrace: unknown command or argument versoin (did you mean version?);"
                + " see headrace --help\n");
  }

  @Test
  void unknownFlag_isRefusedInOneLine() {
    CommandRun run = CommandRun.of("version", "--verbose=3");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo("headrace version: unknown flag --verbose=3; see headrace version --help\n");
  }

  @Test
  void flagValueWithLineBreak_staysOneLine() {
    CommandRun run = CommandRun.of("version", "--log-level=a\nb");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("--log-level").contains("a\\u000ab");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyFlag_isExplained(CommandSpec command) {
    assertThat(command.args())
        .allSatisfy(flag -> assertThat(flag.description()).as("%s", flag).isNotEmpty())
        .filteredOn(flag -> flag.arity().max() > 0)
        .allSatisfy(HeadraceTest::saysItsDefault);
  }

  private static void saysItsDefault(ArgSpec flag) {
    assertThat(String.join(" ", flag.description()))
        .as("%s", flag)
        .containsAnyOf("Default", "Needed");
  }
}

package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.headrace.cli.drill.DrillSettings;
import io.headrace.cli.drill.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class DrillCommandTest {
  @TempDir Path folder = Path.of("");

  @Test
  void defaults_areFortyFilesOf250Records_onTwoWorkers() {
    DrillSettings settings = settings("worker-kill");

    assertThat(settings.workers()).isEqualTo(2);
    assertThat(settings.files()).isEqualTo(40);
    assertThat(settings.recordsPerFile()).isEqualTo(250);
    assertThat(settings.elementBytes()).isEqualTo(16_384);
    assertThat(settings.readSeconds()).isEmpty();
    assertThat(settings.faultSeconds()).isEmpty();
    assertThat(settings.limit()).isEqualTo(Duration.ofMinutes(2));
    assertThat(settings.stockPython()).isEmpty();
    assertThat(settings.folder()).isEmpty();
    assertThat(settings.keep()).isFalse();
  }

  @Test
  void flags_areTakenOver() {
    DrillSettings settings =
        settings(
            "everything",
            "--workers=5",
            "--files=0",
            "--records-per-file=7",
            "--element-bytes=0",
            "--read-seconds=1.5",
            "--fault-seconds=0",
            "--limit-seconds=9",
            "--reader=stock",
            "--python=python3",
            "--folder=" + folder,
            "--keep");

    assertThat(settings.workers()).isEqualTo(5);
    assertThat(settings.files()).isZero();
    assertThat(settings.recordsPerFile()).isEqualTo(7);
    assertThat(settings.elementBytes()).isZero();
    assertThat(settings.readSeconds()).hasValue(1.5);
    assertThat(settings.faultSeconds()).hasValue(0);
    assertThat(settings.limit()).isEqualTo(Duration.ofSeconds(9));
    assertThat(settings.stockPython()).contains("python3");
    assertThat(settings.folder()).contains(folder);
    assertThat(settings.keep()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                                  | which drill?",
        "worker-burn                         | worker-burn",
        "worker-kill --workers=0             | --workers must be 1 or more, not 0",
        "worker-kill --files=-1              | --files must be 0 or more, not -1",
        "worker-kill --records-per-file=0    | --records-per-file must be 1 or more, not 0",
        "worker-kill --files=100000 --records-per-file=100000 | must be 100000000 or less",
        "worker-kill --element-bytes=-1      | --element-bytes must be from 0 to 1048576, not -1",
        "worker-kill --read-seconds=-1       | --read-seconds must be from 0 to 86400 seconds",
        "worker-kill --fault-seconds=NaN     | --fault-seconds must be from 0 to 86400 seconds",
        "worker-kill --limit-seconds=0       | --limit-seconds must be 1 or more, not 0",
        "worker-kill --runs=0                | --runs must be 1 or more, not 0",
        "worker-kill --folder=/no/such       | --folder must be a directory: /no/such",
        "worker-kill --inject=true           | --inject is for a cluster that",
        "worker-kill --reader=stock          | --reader=stock needs --python=PYTHON",
        "worker-kill --reader=other          | --reader",
        "worker-kill --python=python3        | --python is for --reader=stock",
        "reader-kill                         | reader-kill needs --reader=stock",
        "--dispatcher-address=localhost:1 --inject=true --reader=stock --python=python3"
            + " | --reader=stock is for a cluster of the drill's own",
        "--dispatcher-address=localhost:1    | --dispatcher-address needs --inject=COMMAND",
        "--dispatcher-address=localhost --inject=true | must be HOST:PORT, not localhost",
        "worker-kill --dispatcher-address=localhost:1 | worker-kill runs on a cluster of its own"
      })
  void badFlags_areRefusedInOneLine(String flags, String line) {
    CommandRun run = CommandRun.of(("drill " + flags).strip().split(" "));

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).hasLineCount(1).contains(line);
  }

  @ParameterizedTest
  @EnumSource
  void help_explainsEachDrill(Scenario scenario) {
    assertThat(CommandRun.of("drill", "--help").out())
        .containsPattern("\n *" + scenario + " +[A-Za-z0-9]");
  }

  @Test
  void workerKill_keepsThePromise_andSaysSoInOneObject_andLeavesNothing()
      throws IOException, InterruptedException {
    try (HeadraceProcess drill = drill("worker-kill", 4, "--json", "--seed=3")) {
      CommandRun run = drill.awaitEnd();

      assertThat(run.status()).as(run.err()).isZero();
      JsonObject report = JsonParser.parseString(run.out()).getAsJsonObject();
      JsonObject only = report.getAsJsonArray("runs").get(0).getAsJsonObject();
      assertThat(report.get("drill").getAsString()).isEqualTo("worker-kill");
      assertThat(report.get("kept").getAsInt()).isEqualTo(1);
      assertThat(only.get("seed").getAsLong()).isEqualTo(3);
      assertThat(only.get("expected").getAsLong()).isEqualTo(2_000);
      assertThat(only.get("guarantee").getAsString()).isEqualTo("exactly_once");
      assertThat(only.get("delivered").getAsLong()).isEqualTo(2_000);
      assertThat(only.get("lost").getAsLong()).isZero();
      assertThat(only.get("duplicated").getAsLong()).isZero();
      assertThat(only.get("losses_told").getAsInt()).isPositive();
      assertThat(only.getAsJsonArray("faults")).hasSize(1);
      assertThat(filesIn(folder)).isEmpty();
    }
  }

  @Test
  void splitBrain_isRefused_andLosesNothing() throws IOException, InterruptedException {
    try (HeadraceProcess drill = drill("split-brain", 4)) {
      drill.awaitStep("expected 2,000, delivered 2,000, lost 0, duplicated 0");
      CommandRun run = drill.awaitEnd();

      assertThat(run.status()).as(run.err()).isZero();
      assertThat(run.out()).contains("exactly_once: kept");
      assertThat(filesIn(folder)).isEmpty();
    }
  }

  @Test
  void workerStopped_isReadByAProcessThatAnswersForEachElement()
      throws IOException, InterruptedException {
    Path python = fakePython("");
    try (HeadraceProcess drill = stockDrill("worker-stop", python, "--json")) {
      CommandRun run = drill.awaitEnd();

      assertThat(run.status()).as(run.err()).isZero();
      JsonObject report = JsonParser.parseString(run.out()).getAsJsonObject();
      JsonObject only = report.getAsJsonArray("runs").get(0).getAsJsonObject();
      assertThat(only.get("guarantee").getAsString()).isEqualTo("at_most_once");
      assertThat(only.get("delivered").getAsLong()).isEqualTo(2_000);
      assertThat(only.get("lost").getAsLong()).isZero();
      assertThat(only.get("counted_missing").getAsLong()).isZero();
      assertThat(only.get("is_kept").getAsBoolean()).isTrue();
      assertThat(filesIn(folder)).containsExactly(python);
    }
  }

  @Test
  void readerKilled_isFollowedByAnother() throws IOException, InterruptedException {
    try (HeadraceProcess drill = stockDrill("reader-kill", fakePython(""))) {
      drill.awaitStep("kill -9 of the reader");
      drill.awaitStep("another reader of the job goes on");
      CommandRun run = drill.awaitEnd();

      assertThat(run.status()).as(run.err()).isZero();
      assertThat(run.out()).contains("at_most_once: kept");
    }
  }

  @Test
  void elementsThatAStockReaderDoesNotGet_breakThePromise_whereTheDispatcherCountsNone()
      throws IOException, InterruptedException {
    try (HeadraceProcess drill = stockDrill("worker-stop", fakePython("n=$((n + 1))"))) {
      CommandRun run = drill.awaitEnd();

      assertThat(run.status()).as(run.err()).isEqualTo(1);
      assertThat(run.out())
          .contains(
              "at_most_once: BROKEN",
              "1 elements were lost, and the dispatcher counts at most 0 as missing");
    }
  }

  @Test
  void pythonWithoutTensorFlow_isRefusedInOneLine() throws IOException, InterruptedException {
    Path python = script("echo \"No module named 'tensorflow'\" >&2", "exit 1");
    try (HeadraceProcess drill = stockDrill("worker-stop", python, "--json")) {
      CommandRun run = drill.awaitEnd();

      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err())
          .hasLineCount(1)
          .contains("the stock reader did not start: No module named 'tensorflow'");
      assertThat(filesIn(folder)).containsExactly(python);
    }
  }

  /** The other scenarios take too long for a test: worker-hang, rolling-restart, everything. */
  @ParameterizedTest
  @CsvSource({"dispatcher-restart, 0.2", "dispatcher-partition, 1", "disk-full, 0.2"})
  void briefDrill_keepsThePromise(String scenario, String faultSeconds)
      throws IOException, InterruptedException {
    try (HeadraceProcess drill = drill(scenario, 2, "--fault-seconds=" + faultSeconds)) {
      drill.awaitStep("expected 2,000, delivered 2,000, lost 0, duplicated 0");
      CommandRun run = drill.awaitEnd();

      assertThat(run.status()).as(run.err()).isZero();
      assertThat(run.out()).contains("exactly_once: kept");
      assertThat(filesIn(folder)).isEmpty();
    }
  }

  @Test
  void terminatedInMidDrill_leavesNothing() throws IOException, InterruptedException {
    try (HeadraceProcess drill = drill("worker-hang", 60)) {
      drill.awaitStep("a dispatcher and 2 workers serve");
      List<ProcessHandle> servers = drill.children();
      CommandRun run = drill.terminate().awaitEnd();

      assertThat(run.status()).isEqualTo(143);
      assertThat(servers).hasSize(3).noneMatch(ProcessHandle::isAlive);
      assertThat(filesIn(folder)).isEmpty();
    }
  }

  /** A small drill in {@link #folder}. */
  private HeadraceProcess drill(String scenario, int readSeconds, String... flags)
      throws IOException {
    Stream<String> all =
        Stream.concat(
            Stream.of(
                "drill",
                scenario,
                "--records-per-file=50",
                "--read-seconds=" + readSeconds,
                "--folder=" + folder),
            Stream.of(flags));
    return HeadraceProcess.start(all.toArray(String[]::new));
  }

  private HeadraceProcess stockDrill(String scenario, Path python, String... flags)
      throws IOException {
    Stream<String> all =
        Stream.concat(
            Stream.of("--reader=stock", "--python=" + python, "--fault-seconds=0"),
            Stream.of(flags));
    return drill(scenario, 3, all.toArray(String[]::new));
  }

  /**
   * A Python that runs no script: each process of it goes on with the numbers where the one before
   * it ended.
   *
   * @param first the shell command to run before the first number, {@code n}
   */
  private Path fakePython(String first) throws IOException {
    return script(
        "test -e $2.taken || { n=0; " + (first.isEmpty() ? ":" : first) + "; echo $n > $2.taken; }",
        "n=$(tail -n 1 $2.taken)",
        "echo ready $3",
        "while read -r line; do",
        "  if [ $n = 2000 ]; then echo end; continue; fi",
        "  echo $((n + 1)) >> $2.taken",
        "  echo $n",
        "  n=$((n + 1))",
        "done");
  }

  private Path script(String... lines) throws IOException {
    Path script = folder.resolve("python");
    Files.writeString(script, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script;
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private static DrillSettings settings(String... flags) {
    String[] arguments = Stream.concat(Stream.of("drill"), Stream.of(flags)).toArray(String[]::new);
    DrillCommand command =
        Headrace.commandLine()
            .parseArgs(arguments)
            .subcommand()
            .commandSpec()
            .commandLine()
            .getCommand();
    return command.settings();
  }
}

package io.headrace.cli;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.headrace.cli.drill.DrillReport;
import io.headrace.cli.drill.DrillRun;
import io.headrace.cli.drill.DrillSettings;
import io.headrace.cli.drill.ReaderKind;
import io.headrace.cli.drill.RunReport;
import io.headrace.cli.drill.Scenario;
import io.headrace.cli.drill.Step;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headrace drill}: injects faults into real processes and judges the result. */
@Command(
    name = "drill",
    sortOptions = false,
    description = {
      "Read a job at a steady pace, inject a fault in the middle of the read, and judge the result"
          + " by the job's guarantee: records lost, records delivered twice, and the reader's"
          + " waits.",
      "Drills on their own cluster (a dispatcher and workers as processes of this host):",
      "  dispatcher-restart    kill -9 of the dispatcher; restarted after --fault-seconds",
      "  worker-kill           kill -9 of a worker; restarted after --fault-seconds",
      "  worker-hang           SIGSTOP to a worker; SIGCONT after --fault-seconds, longer than a"
          + " worker may be silent",
      "  dispatcher-partition  the dispatcher is partitioned from all other processes for"
          + " --fault-seconds; proxies hold traffic back",
      "  split-brain           a second dispatcher on the same work_dir: it must be refused, and"
          + " the first one must continue",
      "  disk-full             the dispatcher's disk is full for --fault-seconds: a tmpfs where"
          + " root may mount one, otherwise a limit on the size of its files (RLIMIT_FSIZE)",
      "  rolling-restart       SIGTERM to the dispatcher, then to each worker; each is restarted"
          + " before the next",
      "  worker-stop           SIGTERM to a worker; restarted after --fault-seconds",
      "  all-kill              kill -9 of the dispatcher and all workers; restarted after"
          + " --fault-seconds",
      "  reader-kill           kill -9 of the reader, and another one goes on with the job; with"
          + " --reader=stock",
      "  everything            five random faults of the first seven kinds, from --seed",
      "On an existing cluster: --dispatcher-address names it, and the command of --inject makes the"
          + " fault.",
      "Exit status 0 if the guarantee was kept, 1 if it was broken, 2 if the drill could not run."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class DrillCommand implements Callable<Integer> {
  private static final int MAX_RECORDS = 100_000_000;
  private static final int MAX_ELEMENT_BYTES = 1 << 20;
  private static final int INTERRUPTED = 130;

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "DRILL",
      description = "The drill. Needed without --dispatcher-address.")
  Optional<Scenario> scenario = Optional.empty();

  @Option(
      names = "--workers",
      paramLabel = "WORKERS",
      defaultValue = "2",
      description = "The number of workers of the drill's own cluster. Default: ${DEFAULT-VALUE}.")
  int workers;

  @Option(
      names = "--files",
      paramLabel = "FILES",
      defaultValue = "40",
      description =
          "The number of text files the job reads; 0 reads a range of numbers instead. Default:"
              + " ${DEFAULT-VALUE}.")
  int files;

  @Option(
      names = "--records-per-file",
      paramLabel = "RECORDS",
      defaultValue = "250",
      description =
          "The number of records per file, or, with --files=0, of the range. Default:"
              + " ${DEFAULT-VALUE}.")
  int recordsPerFile;

  @Option(
      names = "--element-bytes",
      paramLabel = "BYTES",
      defaultValue = "16384",
      description =
          "The size to which workers pad each element; the smaller, the further workers run ahead"
              + " of the reader. Default: ${DEFAULT-VALUE}.")
  int elementBytes;

  @Option(
      names = "--read-seconds",
      paramLabel = "SECONDS",
      description =
          "The duration of the read without faults. Default: 8 to 40, depending on the drill.")
  Optional<Double> readSeconds = Optional.empty();

  @Option(
      names = "--fault-seconds",
      paramLabel = "SECONDS",
      description = "The duration of the fault. Default: 1 to 12, depending on the drill.")
  Optional<Double> faultSeconds = Optional.empty();

  @Option(
      names = "--limit-seconds",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description =
          "Seconds after the faults in which the read must make progress, and end; otherwise it"
              + " is stopped, and the guarantee counts as broken. Default: ${DEFAULT-VALUE}.")
  long limitSeconds;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      description =
          "The seed of random choices; the second run uses SEED + 1, and so on. Default: a random"
              + " one, which is printed.")
  Optional<Long> seed = Optional.empty();

  @Option(
      names = "--runs",
      paramLabel = "RUNS",
      defaultValue = "1",
      description = "The number of runs; totals follow. Default: ${DEFAULT-VALUE}.")
  int runs;

  @Option(
      names = "--reader",
      paramLabel = "headrace|stock",
      defaultValue = "headrace",
      description =
          "The reader of the job: Headrace's own client, or an unchanged client of TensorFlow's,"
              + " whose job is read at most once. Default: ${DEFAULT-VALUE}.")
  ReaderKind reader = ReaderKind.HEADRACE;

  @Option(
      names = "--python",
      paramLabel = "PYTHON",
      description =
          "With --reader=stock: the Python that runs it, with tensorflow installed. Default: none.")
  Optional<String> python = Optional.empty();

  @Option(
      names = "--dispatcher-address",
      paramLabel = "HOST:PORT",
      description =
          "Read from the cluster of this dispatcher, in a job of the drill's own; --inject makes"
              + " the fault. Default: a cluster of the drill's own.")
  Optional<String> dispatcherAddress = Optional.empty();

  @Option(
      names = "--inject",
      paramLabel = "COMMAND",
      description =
          "With --dispatcher-address: the shell command that makes the fault, and possibly"
              + " repairs it; runs once the reader has 40 %% of the elements. Its output goes to"
              + " standard error. Default: none.")
  Optional<String> inject = Optional.empty();

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Where to create the folder for the job's files, the logs and the work_dir. With"
              + " --dispatcher-address and --files, workers must see it under the same name."
              + " Default: the directory for temporary files.")
  Optional<Path> folder = Optional.empty();

  @Option(
      names = "--keep",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Keep that folder, for its logs; a tmpfs in it is unmounted. Default: ${DEFAULT-VALUE}.")
  boolean keep;

  @Option(
      names = "--json",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description = "Print one JSON object at the end, and no text. Default: ${DEFAULT-VALUE}.")
  boolean json;

  private volatile @Nullable DrillRun running;
  private volatile boolean stopping;

  @Override
  public Integer call() throws InterruptedException {
    DrillSettings settings = settings();
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop-drill"));
    try {
      DrillReport report = DrillReport.of(name(), workerCount(), settings, runAll(settings));
      print(report);
      return report.isKept() ? 0 : 1;
    } catch (StatusException e) {
      return stopping ? INTERRUPTED : OneLineErrors.refuse(spec.commandLine(), e);
    }
  }

  /** The settings; fails with a StatusException that names the invalid flag. */
  DrillSettings settings() {
    checkTarget();
    Flags.positive("--runs", runs);
    Flags.positive("--workers", workers);
    Flags.positive("--limit-seconds", limitSeconds);
    checkSizes();
    return new DrillSettings(
        ThisProgram.command(),
        workers,
        files,
        recordsPerFile,
        elementBytes,
        seconds("--read-seconds", readSeconds),
        seconds("--fault-seconds", faultSeconds),
        Duration.ofSeconds(limitSeconds),
        stockPython(),
        directory(),
        keep);
  }

  private void checkTarget() {
    if (dispatcherAddress.isEmpty()) {
      if (scenario.isEmpty()) {
        throw StatusException.invalidArgument(
            "which drill? Name one, or a cluster by --dispatcher-address");
      }
      if (inject.isPresent()) {
        throw StatusException.invalidArgument(
            "--inject is for a cluster that --dispatcher-address names; %s makes its own fault",
            scenario.get());
      }
      return;
    }
    Flags.address("--dispatcher-address", dispatcherAddress.get());
    if (reader == ReaderKind.STOCK) {
      throw StatusException.invalidArgument(
          "--reader=stock is for a cluster of the drill's own, whose log says how many elements may"
              + " be missing");
    }
    if (scenario.isPresent()) {
      throw StatusException.invalidArgument(
          "%s runs on a cluster of its own; with --dispatcher-address the fault is what --inject"
              + " does",
          scenario.get());
    }
    if (inject.isEmpty() || inject.get().isBlank()) {
      throw StatusException.invalidArgument(
          "--dispatcher-address needs --inject=COMMAND, the command that makes the fault");
    }
  }

  private Optional<String> stockPython() {
    if (reader == ReaderKind.STOCK) {
      if (python.filter(named -> !named.isBlank()).isEmpty()) {
        throw StatusException.invalidArgument(
            "--reader=stock needs --python=PYTHON, a Python with TensorFlow's package (pip install"
                + " tensorflow)");
      }
      return python;
    }
    if (python.isPresent()) {
      throw StatusException.invalidArgument("--python is for --reader=stock");
    }
    if (scenario.isPresent() && scenario.get().killsReader()) {
      throw StatusException.invalidArgument(
          "%s needs --reader=stock: Headrace's reader is in the drill's own process",
          scenario.get());
    }
    return Optional.empty();
  }

  private void checkSizes() {
    if (files < 0) {
      throw StatusException.invalidArgument("--files must be 0 or more, not %d", files);
    }
    Flags.positive("--records-per-file", recordsPerFile);
    if ((long) Math.max(1, files) * recordsPerFile > MAX_RECORDS) {
      throw StatusException.invalidArgument(
          "--files times --records-per-file must be %d or less, not %d",
          MAX_RECORDS, (long) files * recordsPerFile);
    }
    if (elementBytes < 0 || elementBytes > MAX_ELEMENT_BYTES) {
      throw StatusException.invalidArgument(
          "--element-bytes must be from 0 to %d, not %d", MAX_ELEMENT_BYTES, elementBytes);
    }
  }

  private static OptionalDouble seconds(String flag, Optional<Double> value) {
    if (value.isEmpty()) {
      return OptionalDouble.empty();
    }
    if (!(value.get() >= 0 && value.get() <= 86_400)) {
      throw StatusException.invalidArgument(
          "%s must be from 0 to 86400 seconds, not %s", flag, value.get());
    }
    return OptionalDouble.of(value.get());
  }

  private Optional<Path> directory() {
    if (folder.isPresent() && !Files.isDirectory(folder.get())) {
      throw StatusException.invalidArgument("--folder must be a directory: %s", folder.get());
    }
    return folder;
  }

  private List<RunReport> runAll(DrillSettings settings) throws InterruptedException {
    long first = seed.orElseGet(() -> (long) new SecureRandom().nextInt(1 << 30));
    List<RunReport> reports = new ArrayList<>();
    for (int i = 0; i < runs; i++) {
      if (!json) {
        Headrace.out(spec).printf("%s, seed %d, run %d of %d%n", name(), first + i, i + 1, runs);
      }
      reports.add(runOnce(settings, first + i));
      if (!json) {
        say(DrillReportText.run(reports.getLast()));
      }
    }
    return reports;
  }

  private RunReport runOnce(DrillSettings settings, long runSeed) throws InterruptedException {
    try (DrillRun run = begin(settings, runSeed)) {
      return run.run(this::tell);
    } finally {
      running = null;
    }
  }

  /** Registers the run with {@link #stop} before the run starts anything. */
  private synchronized DrillRun begin(DrillSettings settings, long runSeed)
      throws InterruptedException {
    if (stopping) {
      throw new StatusException(StatusCode.CANCELLED, "the drill was ended");
    }
    DrillRun run =
        dispatcherAddress.isPresent()
            ? DrillRun.ofNamed(dispatcherAddress.get(), inject.orElseThrow(), settings, runSeed)
            : DrillRun.of(scenario.orElseThrow(), settings, runSeed);
    running = run;
    return run;
  }

  private void tell(Step step) {
    if (!json && !stopping) {
      say(DrillReportText.step(step));
    }
  }

  private void print(DrillReport report) {
    if (json) {
      Gson gson =
          new GsonBuilder()
              .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
              .setPrettyPrinting()
              .disableHtmlEscaping()
              .create();
      say(gson.toJson(report));
    } else if (runs > 1) {
      say(DrillReportText.sum(report));
    }
  }

  private void say(String text) {
    PrintWriter out = Headrace.out(spec);
    out.println(text);
    out.flush();
  }

  private String name() {
    return scenario.map(Scenario::toString).orElse("inject");
  }

  private int workerCount() {
    return dispatcherAddress.isPresent() ? 0 : workers;
  }

  /** Cleans up before the process ends. */
  private synchronized void stop() {
    stopping = true;
    DrillRun run = running;
    if (run != null) {
      run.close();
    }
  }
}

package io.headrace.cli.text;

import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.ReadingStatistics;
import io.headrace.proto.headrace.StageStatistics;
import io.headrace.proto.headrace.TaskStatistics;
import io.headrace.proto.headrace.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The statistics of a job as text for a terminal of 80 columns. */
public final class StatsText {
  static final int WIDTH = 80;

  private static final int BAR = 20;
  private static final int MAX_READERS = 10;
  private static final int MAX_TASKS = 20;
  private static final double WORTH_A_LINE = 0.1;
  private static final String NONE = "-";
  private static final String LEGEND =
      "time: # works, - waits for its input, . waits for its consumer";

  private final JobStatistics job;
  private final List<String> lines = new ArrayList<>();

  /** The text of {@code job}. */
  public StatsText(JobStatistics job) {
    this.job = job;
  }

  /** The whole text. */
  public List<String> lines() {
    lines.add(
        "job %d%s, %s%s"
            .formatted(
                job.getJobId(),
                job.getAnonymous() ? "" : " (%s)".formatted(job.getJobName()),
                job.getIterationId() == 0 ? "without an iteration" : iteration(),
                job.getWindowMs() == 0
                    ? ""
                    : ", the last %d s".formatted(Math.round(job.getWindowMs() / 1e3))));
    lines.add("");
    addVerdict();
    addStages();
    addWorkers();
    return lines.stream().map(StatsText::cut).toList();
  }

  private String iteration() {
    return "repetition %d%s".formatted(job.getRepetition(), job.getFinished() ? ", ended" : "");
  }

  private void addVerdict() {
    Verdict verdict = job.getVerdict();
    addWrapped("verdict: ", verdict.getText() + " [" + verdict.getCode() + "]");
    if (!verdict.getAdvice().isEmpty()) {
      addWrapped("advice:  ", verdict.getAdvice());
    }
    if (job.hasOptimalWorkers()) {
      addWrapped("workers: ", estimate());
    }
  }

  /** The number of workers that TensorFlow's auto-scaler would have. */
  private String estimate() {
    List<String> silent = new ArrayList<>();
    if (job.getTasksWithoutTimes() > 0) {
      silent.add("%,d tasks".formatted(job.getTasksWithoutTimes()));
    }
    if (job.getReadersWithoutTimes() > 0) {
      silent.add("%,d readers".formatted(job.getReadersWithoutTimes()));
    }
    return "%,d would keep pace with the readers%s"
        .formatted(
            job.getOptimalWorkers(),
            silent.isEmpty()
                ? ""
                : "; " + String.join(" and ", silent) + " tell no times, and are left out");
  }

  /** The way of the elements, from the readers to the sources. */
  private void addStages() {
    TextTable table =
        new TextTable(
            List.of("STAGE", "ROWS/S", "THREADS", "FILL", "BUSY", "TIME"),
            Set.of(1, 2, 3, 4),
            Set.of(0),
            WIDTH);
    List<String> kernels = new ArrayList<>();
    job.getReadersList().stream().limit(MAX_READERS).forEach(reader -> addReader(reader, table));
    List<Integer> depths = new ArrayList<>();
    for (StageStatistics stage : job.getStagesList()) {
      depths.add(depth(stage, depths));
      table.add(
          "  ".repeat(depths.getLast()) + name(stage),
          StatusText.rate(stage.getRowsPerSecond()),
          stage.getMaxThreads() > stage.getWorkers()
              ? "%d/%d".formatted(stage.getThreads(), stage.getMaxThreads())
              : Long.toString(stage.getThreads()),
          stage.hasFill() ? percent(stage.getFill()) : NONE,
          percent(stage.getBusy()),
          bar(stage.getBusy(), stage.getStarved()));
      if (stage.getBusy() >= WORTH_A_LINE && stage.getKernelsCount() > 0) {
        kernels.add(kernels(stage));
      }
    }
    if (!table.isEmpty()) {
      lines.add("");
      lines.addAll(table.lines());
      lines.add(LEGEND);
    }
    kernels.forEach(line -> addWrapped("ops of ", line));
    addLeftOut("readers", job.getReadersCount() + job.getReadersLeftOut(), MAX_READERS);
  }

  /** The ops of a stage's function by their part of its work. */
  private static String kernels(StageStatistics stage) {
    return name(stage)
        + ": "
        + stage.getKernelsList().stream()
            .filter(kernel -> kernel.getShare() >= 0.01)
            .map(kernel -> kernel.getOp() + " " + percent(kernel.getShare()))
            .collect(Collectors.joining(", "));
  }

  private static void addReader(ReadingStatistics reader, TextTable table) {
    double wait = reader.getWaitShare();
    table.add(
        "reader " + reader.getId() + (reader.hasWaitShare() ? "" : " (no report)"),
        reader.hasElementsPerSecond() ? StatusText.rate(reader.getElementsPerSecond()) : NONE,
        NONE,
        NONE,
        reader.hasWaitShare() ? percent(1 - wait) : NONE,
        reader.hasWaitShare() ? bar(1 - wait, wait) : "");
  }

  /** How many stages with several inputs are on the way from the readers. */
  private int depth(StageStatistics stage, List<Integer> depths) {
    if (stage.getConsumer() < 0) {
      return 0;
    }
    long inputs =
        job.getStagesList().stream()
            .filter(other -> other.getConsumer() == stage.getConsumer())
            .count();
    return depths.get(stage.getConsumer()) + (inputs > 1 ? 1 : 0);
  }

  private static String name(StageStatistics stage) {
    return stage.getFunction().isEmpty()
        ? stage.getName()
        : "%s(%s)".formatted(stage.getName(), stage.getFunction());
  }

  private void addWorkers() {
    TextTable table =
        new TextTable(
            List.of("WORKER", "ROWS/S", "BYTES/S", "FILL", "EMPTY", "WITHHELD", "FULL"),
            Set.of(1, 2, 3, 4, 5, 6),
            Set.of(0),
            WIDTH);
    job.getTasksList().stream()
        .sorted(Comparator.comparingDouble(TaskStatistics::getRowsPerSecond))
        .limit(MAX_TASKS)
        .forEach(task -> addWorker(task, table));
    if (!table.isEmpty()) {
      lines.add("");
      lines.addAll(table.lines());
    }
    addLeftOut("workers", job.getTasksCount() + job.getTasksLeftOut(), MAX_TASKS);
  }

  private static void addWorker(TaskStatistics task, TextTable table) {
    boolean told = task.hasRowsPerSecond();
    table.add(
        task.getWorkerAddress() + (task.getEnded() ? ", at its end" : ""),
        told ? StatusText.rate(task.getRowsPerSecond()) : NONE,
        told ? StatusText.bytes(Math.round(task.getBytesPerSecond())) : NONE,
        told ? percent(task.getFill()) : NONE,
        told ? percent(task.getEmpty()) : NONE,
        told ? percent(task.getWithheld()) : NONE,
        told ? percent(task.getFull()) : NONE);
  }

  private void addLeftOut(String what, long all, long shown) {
    if (all > shown) {
      lines.add("%d of %,d %s are shown; --json has more".formatted(shown, all, what));
    }
  }

  private void addWrapped(String title, String text) {
    lines.addAll(WrappedText.lines(title, text, WIDTH));
  }

  /** A bar of the shares: what it leaves empty is blocked. */
  static String bar(double busy, double starved) {
    int works = (int) Math.round(BAR * busy);
    int waits = Math.min(BAR - works, (int) Math.round(BAR * starved));
    return "#".repeat(works) + "-".repeat(waits) + ".".repeat(BAR - works - waits);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f%%", 100 * share);
  }

  private static String cut(String line) {
    return line.length() <= WIDTH ? line : line.substring(0, WIDTH - 1) + "~";
  }
}

package io.headrace.cli.text;

import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.ReadingStatistics;
import io.headrace.proto.headrace.TaskStatistics;
import io.headrace.proto.headrace.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The statistics of a dispatcher's jobs for a screen of 80 columns and 24 lines. */
public final class TopText {
  /** The jobs that fit it beside the stages of one. */
  public static final int MOST_JOBS = 8;

  static final int HEIGHT = 24;

  private static final String NONE = "-";

  private final DispatcherStatus dispatcher;
  private final List<JobStatistics> jobs;
  private final Optional<String> chosen;

  /**
   * A text.
   *
   * @param status of the dispatcher
   * @param jobs those that are shown
   * @param chosen the name or id of the one whose stages are shown; empty for the first
   */
  public TopText(GetStatusResponse status, List<JobStatistics> jobs, Optional<String> chosen) {
    this.dispatcher = status.getDispatcher();
    this.chosen = chosen;
    this.jobs =
        jobs.stream()
            .sorted(
                Comparator.comparingDouble((JobStatistics job) -> job.getVerdict().getWaitShare())
                    .reversed())
            .toList();
  }

  /** The jobs, those first whose readers wait the most. */
  public List<JobStatistics> jobs() {
    return jobs;
  }

  /** The whole screen; its last line stays free for the cursor. */
  public List<String> screen() {
    List<String> lines = new ArrayList<>();
    lines.add(cut(summary()));
    lines.add("");
    if (jobs.isEmpty()) {
      lines.add("no job is being read");
      return lines;
    }
    lines.addAll(table());
    lines.add("");
    lines.addAll(new StatsText(shown()).lines());
    return lines.subList(0, Math.min(lines.size(), HEIGHT - 1));
  }

  /** A line for each job. */
  public List<String> lines() {
    if (jobs.isEmpty()) {
      return List.of("no job is being read");
    }
    return jobs.stream()
        .map(job ->
            "job %s: %s elements/s: %s [%s]"
                .formatted(
                    name(job), rate(job), job.getVerdict().getText(), job.getVerdict().getCode()))
        .toList();
  }

  private JobStatistics shown() {
    return jobs.stream()
        .filter(job ->
            chosen
                .filter(
                    of -> of.equals(job.getJobName()) || of.equals(Long.toString(job.getJobId())))
                .isPresent())
        .findFirst()
        .orElse(jobs.getFirst());
  }

  private String summary() {
    return "headrace top  %s, up %s: %d workers (%d lost), %d jobs, %d readers"
        .formatted(
            dispatcher.getAddress(),
            uptime(dispatcher.getUptimeMs()),
            dispatcher.getWorkers(),
            dispatcher.getLostWorkers(),
            dispatcher.getJobs(),
            dispatcher.getReaders());
  }

  private static String uptime(long millis) {
    long minutes = millis / 60_000;
    return minutes < 120
        ? minutes < 2 ? millis / 1000 + " s" : minutes + " min"
        : minutes / 60 + " h";
  }

  private List<String> table() {
    TextTable table =
        new TextTable(
            List.of("JOB", "NAME", "REP", "READERS", "WORKERS", "ELEM/S", "WAIT", "LIMIT"),
            Set.of(0, 2, 3, 4, 5, 6),
            Set.of(1, 7),
            StatsText.WIDTH);
    for (JobStatistics job : jobs) {
      Verdict verdict = job.getVerdict();
      table.add(
          Long.toString(job.getJobId()),
          job.getAnonymous() ? NONE : job.getJobName(),
          Long.toString(job.getRepetition()),
          Long.toString(job.getReadersCount() + job.getReadersLeftOut()),
          Long.toString(job.getTasksCount() + job.getTasksLeftOut()),
          rate(job),
          verdict.hasWaitShare()
              ? String.format(Locale.ROOT, "%.0f%%", 100 * verdict.getWaitShare())
              : NONE,
          limit(verdict));
    }
    return table.lines();
  }

  private static String limit(Verdict verdict) {
    String place = verdict.getStage().isEmpty() ? verdict.getWorker() : verdict.getStage();
    return place.isEmpty() ? verdict.getCode() : verdict.getCode() + " " + place;
  }

  private static String name(JobStatistics job) {
    return job.getAnonymous()
        ? Long.toString(job.getJobId())
        : "%d (%s)".formatted(job.getJobId(), job.getJobName());
  }

  /** The elements that users take, or where no reader tells, those that workers hand out. */
  private static String rate(JobStatistics job) {
    List<ReadingStatistics> telling =
        job.getReadersList().stream().filter(ReadingStatistics::hasElementsPerSecond).toList();
    if (!telling.isEmpty()) {
      return StatusText.rate(
          telling.stream().mapToDouble(ReadingStatistics::getElementsPerSecond).sum());
    }
    List<TaskStatistics> tasks =
        job.getTasksList().stream().filter(TaskStatistics::hasRowsPerSecond).toList();
    return tasks.isEmpty()
        ? NONE
        : StatusText.rate(tasks.stream().mapToDouble(TaskStatistics::getRowsPerSecond).sum());
  }

  private static String cut(String line) {
    return line.length() <= StatsText.WIDTH ? line : line.substring(0, StatsText.WIDTH - 1) + "~";
  }
}

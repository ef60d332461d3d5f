package io.headrace.cli.text;

import io.headrace.proto.headrace.ElementTrace;
import io.headrace.proto.headrace.TracedReader;
import io.headrace.proto.headrace.TracedTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The trace of an element as text for a terminal of 80 columns: a line for each step of its way.
 */
public final class TraceText {
  private static final String NONE = "-";

  private final ElementTrace trace;
  private final List<Step> steps = new ArrayList<>();
  private final TextTable table =
      new TextTable(
          List.of("STEP", "CALLS", "ROWS", "TIME", "OF THAT ITS OWN"),
          Set.of(1, 2, 3, 4),
          Set.of(0),
          StatsText.WIDTH);

  /** A step of the element's way, by one clock or by two. */
  private record Step(String name, long micros) {}

  /** The text of {@code trace}. */
  public TraceText(ElementTrace trace) {
    this.trace = trace;
  }

  /** The whole text. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    TracedTask task = trace.getTask();
    lines.addAll(WrappedText.lines("", title(), StatsText.WIDTH));
    if (trace.hasTask()) {
      lines.add("");
      table.add("worker " + task.getWorkerAddress(), "", "", "", "");
      List<StageTimes> stages = StageTimes.of(task);
      boolean anyWorked = stages.stream().anyMatch(StageTimes::hasWorked);
      for (StageTimes stage : stages) {
        if (anyWorked && !stage.hasWorked()) {
          continue;
        }
        table.add(
            "  " + StageTimes.label(stage.stage()),
            Long.toString(stage.calls()),
            Long.toString(stage.rows()),
            time(stage.micros()),
            time(stage.ownMicros()));
      }
      addWay(task);
      lines.addAll(table.lines());
      long idle = stages.stream().filter(stage -> !stage.hasWorked()).count();
      if (anyWorked && idle > 0) {
        lines.addAll(
            WrappedText.lines(
                "",
                "%d more stages had done their part of it before: a buffer held it ready"
                    .formatted(idle),
                StatsText.WIDTH));
      }
      longestStep()
          .ifPresent(sentence -> lines.addAll(WrappedText.lines("", sentence, StatsText.WIDTH)));
    }
    if (task.getCallsLeftOut() > 0) {
      lines.add("%,d calls of stages are not in the file".formatted(task.getCallsLeftOut()));
    }
    if (!trace.getEnd().isEmpty()) {
      lines.addAll(WrappedText.lines("", trace.getEnd(), StatsText.WIDTH));
    }
    return lines;
  }

  private String title() {
    TracedTask task = trace.getTask();
    return "job %d%s, repetition %d%s"
        .formatted(
            trace.getJobId(),
            trace.getAnonymous() ? "" : " (%s)".formatted(trace.getJobName()),
            trace.getRepetition(),
            task.getQueuedMicros() == 0
                ? ": no element"
                : ": element %d of task %d, in a chunk of %d rows with %s"
                    .formatted(
                        task.getPosition(),
                        task.getTaskId(),
                        task.getRows(),
                        StatusText.bytes(task.getBytes())));
  }

  private void addWay(TracedTask task) {
    if (task.getQueuedMicros() > 0) {
      step("its chunk is made", task.getMakingMicros(), task.getQueuedMicros());
      step(
          "in the worker's buffer",
          task.getQueuedMicros(),
          task.getTakenMicros() > 0 ? task.getTakenMicros() : task.getEndMicros());
    }
    if (task.getSentMicros() > 0) {
      step(StageTimes.sent(task), task.getTakenMicros(), task.getSentMicros());
    }
    if (trace.hasReader()) {
      TracedReader reader = trace.getReader();
      table.add("reader %d".formatted(reader.getIterationClientId()), "", "", "", "");
      step("on its way, by two clocks", task.getSentMicros(), reader.getReceivedMicros());
      step("in the reader's buffer", reader.getReceivedMicros(), reader.getHandedOverMicros());
    }
  }

  private void step(String name, long begin, long end) {
    table.add("  " + name, NONE, NONE, time(end - begin), NONE);
    steps.add(new Step(name, end - begin));
  }

  /** The step that took most of the element's way, if one did. */
  private Optional<String> longestStep() {
    long all = steps.stream().mapToLong(step -> Math.max(0, step.micros())).sum();
    return steps.stream()
        .filter(step -> step.micros() * 2 > all)
        .findFirst()
        .map(step ->
            String.format(
                Locale.ROOT, "%.0f %% of its way: %s", 100.0 * step.micros() / all, step.name()));
  }

  /** A time that is readable from microseconds to minutes; negative where clocks differ. */
  static String time(long micros) {
    if (Math.abs(micros) < 1_000) {
      return micros + " us";
    }
    return Math.abs(micros) < 10_000_000
        ? String.format(Locale.ROOT, "%.1f ms", micros / 1e3)
        : String.format(Locale.ROOT, "%.1f s", micros / 1e6);
  }
}

package io.headrace.cli;

import io.headrace.cli.drill.DrillReport;
import io.headrace.cli.drill.RunReport;
import io.headrace.cli.drill.Step;
import java.util.Locale;

/** Formats drill reports for a terminal. */
final class DrillReportText {
  private DrillReportText() {}

  static String step(Step step) {
    return String.format(Locale.ROOT, "%8.2f s  %s", step.atSeconds(), step.what());
  }

  /** The result of one run. */
  static String run(RunReport run) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "  expected %,d, delivered %,d, lost %,d, duplicated %,d; lost tasks told: %d%n"
                + "  longest wait %.2f s, recovery %.2f s%n",
            run.expected(),
            run.delivered(),
            run.lost(),
            run.duplicated(),
            run.lossesTold(),
            run.longestWaitSeconds(),
            run.recoverySeconds()));
    if (run.countedMissing() != null) {
      text.append(
          String.format(
              Locale.ROOT,
              "  the dispatcher counts at most %,d as missing%n",
              run.countedMissing()));
    }
    text.append("  ").append(run.guarantee()).append(run.isKept() ? ": kept" : ": BROKEN");
    run.breaches()
        .forEach(breach -> text.append(System.lineSeparator()).append("    ").append(breach));
    if (run.folder() != null) {
      text.append(System.lineSeparator()).append("  kept in ").append(run.folder());
    }
    return text.toString();
  }

  /** The totals of all runs. */
  static String sum(DrillReport report) {
    return String.format(
        Locale.ROOT,
        "%d runs: %d kept, %d broken; lost %,d, duplicated %,d; longest wait %.2f s, recovery %.2f"
            + " s",
        report.runs().size(),
        report.kept(),
        report.broken(),
        report.lost(),
        report.duplicated(),
        report.longestWaitSeconds(),
        report.recoverySeconds());
  }
}

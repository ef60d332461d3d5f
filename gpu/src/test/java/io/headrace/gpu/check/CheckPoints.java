package io.headrace.gpu.check;

import io.headrace.gpu.check.CheckPoint.Outcome;
import io.headrace.gpu.ptx.CaseReport;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The points of one part, in the order in which they are found; each is printed at once. */
final class CheckPoints {
  private final String part;
  private final PrintStream out;
  private final List<CheckPoint> points = new ArrayList<>();

  CheckPoints(String part, PrintStream out) {
    this.part = part;
    this.out = out;
  }

  void add(String name, Outcome outcome, String text) {
    CheckPoint point = new CheckPoint(name, outcome, text);
    points.add(point);
    out.println(part + ": " + point);
  }

  void skip(String name, String reason) {
    add(name, Outcome.SKIPPED, reason);
  }

  /** Passes with what {@code finding} tells; fails with what it throws. */
  void check(String name, Supplier<String> finding) {
    try {
      add(name, Outcome.PASS, finding.get());
    } catch (RuntimeException | AssertionError | LinkageError e) {
      add(name, Outcome.FAIL, e.toString());
    }
  }

  /** Passes if cases were compared and none differs. */
  void compare(String name, Supplier<CaseReport> comparison) {
    check(
        name,
        () -> {
          CaseReport report = comparison.get();
          if (report.cases() == 0) {
            throw new IllegalStateException("no cases");
          }
          if (!report.differences().isEmpty()) {
            throw new IllegalStateException(
                "%d differences in %d cases, such as %s"
                    .formatted(
                        report.differences().size(),
                        report.cases(),
                        report.differences().getFirst()));
          }
          return report.cases() + " cases";
        });
  }

  List<CheckPoint> all() {
    return List.copyOf(points);
  }
}

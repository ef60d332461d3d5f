package io.headrace.cli.text;

import io.headrace.dataset.plan.PlanText;
import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.PlannedJob;
import io.headrace.proto.headrace.PlannedSharding;
import io.headrace.proto.headrace.PlannedSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The plan of a dataset as text. Not thread-safe. */
public final class ExplainText {
  private final DatasetPlan plan;
  private final List<String> lines = new ArrayList<>();

  /** The text of {@code plan}. */
  public ExplainText(DatasetPlan plan) {
    this.plan = plan;
  }

  /** The whole text. Lines of stages are as long as they are; others fit a terminal. */
  public List<String> lines() {
    if (!plan.getDatasetId().isEmpty()) {
      lines.add("dataset " + plan.getDatasetId() + (plan.hasJob() ? " of " + job() : ""));
      lines.add("");
    }
    lines.addAll(PlanText.lines(plan.getStagesList(), true));
    if (!plan.getOpObstacle().isEmpty()) {
      lines.add("");
      addWrapped("can't run: ", plan.getOpObstacle());
    }
    addSources();
    lines.add("");
    plan.getShardingsList().forEach(this::addSharding);
    return lines;
  }

  private String job() {
    PlannedJob job = plan.getJob();
    return "job %d (%s): %s, %s"
        .formatted(
            job.getId(),
            job.getName(),
            lower(job.getSharding()),
            guarantee(StatusText.guarantee(job.getGuarantee()), job.getGuaranteeReason()));
  }

  private static String guarantee(String name, String reason) {
    return name + " once" + (reason.isEmpty() ? "" : ": " + reason);
  }

  private void addSources() {
    lines.add("");
    if (!plan.getSourcesObstacle().isEmpty()) {
      addWrapped("sources: ", plan.getSourcesObstacle());
    }
    for (PlannedSource source : plan.getSourcesList()) {
      String records = source.getGrouped() ? ", each of several records" : "";
      addWrapped(
          "source:  ",
          source.getFiles()
              ? "%,d files, %s: %s%s%s"
                  .formatted(
                      source.getSplits(),
                      StatusText.bytes(source.getBytes()),
                      source.getFirstFile(),
                      source.getSplits() > 1 ? ", ..." : "",
                      records)
              : "%,d splits%s".formatted(source.getSplits(), records));
    }
  }

  private void addSharding(PlannedSharding sharding) {
    String title = "%-14s".formatted(lower(sharding.getPolicy()) + ":");
    if (!sharding.getPossible()) {
      addWrapped(title, "not possible: " + sharding.getHow());
      return;
    }
    addWrapped(title, sharding.getHow());
    addWrapped(
        " ".repeat(title.length()),
        guarantee(StatusText.guarantee(sharding.getGuarantee()), sharding.getGuaranteeReason()));
    boolean differs =
        sharding.getStockGuaranteeValue() != 0
            && sharding.getStockGuarantee() != sharding.getGuarantee();
    if (differs) {
      addWrapped(
          " ".repeat(title.length()),
          "with TensorFlow's clients "
              + guarantee(
                  StatusText.guarantee(sharding.getStockGuarantee()),
                  sharding.getStockGuaranteeReason()));
    }
  }

  private void addWrapped(String title, String text) {
    lines.addAll(WrappedText.lines(title, text, TextTable.MAX_WIDTH));
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}

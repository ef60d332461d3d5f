package io.headrace.client;

import io.headrace.dataset.plan.PlanText;
import io.headrace.dataset.plan.RemotePlans;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.PlannedSharding;
import io.headrace.proto.headrace.PlannedSource;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The plan of what a service's workers run for a distributed dataset, as its dispatcher tells it.
 * Thread-safe.
 */
public final class ServicePlans implements RemotePlans {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int DATASET_ID = 0;
  private static final int MODE = 1;
  private static final int ADDRESS = 2;
  private static final int SESSION = 8;

  /** For {@link java.util.ServiceLoader}. */
  public ServicePlans() {}

  @Override
  public Optional<List<String>> behind(NodeDef source, IntFunction<Optional<Tensor>> inputs) {
    if (!source.getOp().equals(ServiceOps.READ)) {
      return Optional.empty();
    }
    Optional<String> id = inputs.apply(DATASET_ID).map(ServicePlans::text);
    Optional<String> mode = inputs.apply(MODE).map(ServicePlans::text);
    Optional<String> address = inputs.apply(ADDRESS).map(ServicePlans::text);
    if (id.isEmpty() || mode.isEmpty() || address.isEmpty()) {
      return Optional.empty();
    }
    Optional<Guarantee> asked =
        inputs.apply(SESSION).flatMap(handle -> ReadSession.find(handle.reference(0)).guarantee());
    List<String> lines = new ArrayList<>();
    String where = "the workers of %s run dataset %s".formatted(address.get(), id.get());
    try (DispatcherInspection dispatcher = DispatcherInspection.of(address.get(), TIMEOUT)) {
      DatasetPlan plan = dispatcher.explain(id.get(), false);
      lines.add(where + ":");
      addPlan(plan, ServiceOps.processingMode(mode.get()), asked, lines);
    } catch (StatusException e) {
      lines.add(where + "; its plan is not known here: " + e.message());
    }
    return Optional.of(lines);
  }

  private static String text(Tensor scalar) {
    return new String(scalar.string(0), StandardCharsets.UTF_8);
  }

  private static void addPlan(
      DatasetPlan plan, ProcessingModeDef mode, Optional<Guarantee> asked, List<String> lines) {
    PlanText.lines(plan.getStagesList(), true).forEach(line -> lines.add("  " + line));
    if (!plan.getOpObstacle().isEmpty()) {
      lines.add("can't run: " + plan.getOpObstacle());
    }
    if (!plan.getSourcesObstacle().isEmpty()) {
      lines.add("sources: " + plan.getSourcesObstacle());
    }
    plan.getSourcesList().forEach(source -> lines.add("source: " + of(source)));
    for (PlannedSharding sharding : plan.getShardingsList()) {
      if (sharding.getPolicy() == mode.getShardingPolicy()) {
        lines.add("sharding %s: %s".formatted(lower(sharding.getPolicy()), how(sharding)));
        if (sharding.getPossible()) {
          lines.add(guarantee(sharding, asked));
        }
      }
    }
  }

  private static String of(PlannedSource source) {
    return (source.getFiles()
            ? "%,d files, the first %s".formatted(source.getSplits(), source.getFirstFile())
            : "%,d splits".formatted(source.getSplits()))
        + (source.getGrouped() ? ", each of several records" : "");
  }

  private static String how(PlannedSharding sharding) {
    return sharding.getPossible() ? sharding.getHow() : "not possible: " + sharding.getHow();
  }

  private static String guarantee(PlannedSharding sharding, Optional<Guarantee> asked) {
    Guarantee strongest = Guarantee.of(sharding.getGuarantee());
    String reason = sharding.getGuaranteeReason();
    String because = reason.isEmpty() ? "" : ": " + reason;
    if (asked.isEmpty() || asked.get() == strongest) {
      return "guarantee %s%s".formatted(lower(strongest), because);
    }
    return "guarantee %s, as asked for; the strongest is %s%s"
        .formatted(lower(asked.get()), lower(strongest), because);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}

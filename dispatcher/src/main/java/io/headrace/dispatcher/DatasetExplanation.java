package io.headrace.dispatcher;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.plan.PipelinePlan;
import io.headrace.dispatcher.decide.PlannedGuarantees;
import io.headrace.dispatcher.graph.RowOrder;
import io.headrace.dispatcher.graph.ShardPlacement;
import io.headrace.dispatcher.graph.SourceEvaluation;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.PlannedSharding;
import io.headrace.proto.headrace.PlannedSource;
import io.headrace.proto.headrace.SourceFileProto;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a dataset before it runs: its stages, its sources, and what each sharding policy
 * makes of it. Immutable.
 *
 * @param plan the plan without guarantees, which depend on a dispatcher's workers
 * @param found the sources; empty if they can't be found out
 */
public record DatasetExplanation(DatasetPlan plan, Optional<SplitSourceFinder.Found> found) {
  private static final List<ShardingPolicy> POLICIES =
      List.of(
          ShardingPolicy.OFF,
          ShardingPolicy.DYNAMIC,
          ShardingPolicy.FILE,
          ShardingPolicy.DATA,
          ShardingPolicy.FILE_OR_DATA,
          ShardingPolicy.HINT);

  private static final String NO_LIST =
      "it needs a dispatcher with --worker-addresses, and this one has none; then ";

  /** Sources, or the reason why there are none. */
  private record Sources(Optional<SplitSourceFinder.Found> found, String obstacle) {}

  /**
   * The plan of a graph that no dispatcher has, for any number of workers of this version.
   * Evaluates its sources, so it may list files; blocks.
   *
   * @throws StatusException NOT_FOUND if the graph yields no dataset; INVALID_ARGUMENT if it is
   *     malformed
   */
  public static DatasetPlan of(GraphDef graph) {
    SplitSourceFinder finder =
        SplitSourceFinder.on(Runnable::run, SourceEvaluation.on(Runnable::run), () -> 0);
    try {
      return of(DatasetDef.newBuilder().setGraph(graph).build(), true, finder, Runnable::run)
          .join()
          .withGuarantees(new DispatcherState(), "", Optional.empty());
    } catch (CompletionException e) {
      if (UnaryCalls.cause(e) instanceof StatusException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /**
   * Finds out about {@code dataset}.
   *
   * @param dataset as it was registered
   * @param listed whether there is a fixed list of workers, which static sharding needs
   * @param finder finds its sources
   * @param background runs what takes long
   */
  static CompletableFuture<DatasetExplanation> of(
      DatasetDef dataset, boolean listed, SplitSourceFinder finder, Executor background) {
    return CompletableFuture.supplyAsync(() -> DatasetGraph.read(dataset.getGraph()), background)
        .thenCompose(graph ->
            finder
                .of(dataset)
                .handle(DatasetExplanation::sources)
                .thenCombineAsync(
                    finder.whole(dataset),
                    (sources, whole) -> of(graph, sources, whole.order().orElseThrow(), listed),
                    background));
  }

  private static Sources sources(
      SplitSourceFinder.@Nullable Found found, @Nullable Throwable failure) {
    if (failure == null) {
      return new Sources(Optional.ofNullable(found), "");
    }
    if (UnaryCalls.cause(failure) instanceof StatusException reason) {
      return new Sources(Optional.empty(), reason.message());
    }
    throw new CompletionException(UnaryCalls.cause(failure));
  }

  private static DatasetExplanation of(
      DatasetGraph graph, Sources sources, RowOrder order, boolean listed) {
    OpRegistry registry = OpRegistry.standard();
    DatasetPlan.Builder plan =
        DatasetPlan.newBuilder()
            .addAllStages(PipelinePlan.stagesOf(graph, registry))
            .setSourcesObstacle(sources.obstacle());
    sources
        .found()
        .ifPresent(found -> found.sources().forEach(source -> plan.addSources(planned(source))));
    try {
      graph.check(registry);
    } catch (StatusException e) {
      plan.setOpObstacle(e.message());
    }
    for (ShardingPolicy policy : POLICIES) {
      PlannedSharding.Builder sharding = PlannedSharding.newBuilder().setPolicy(policy);
      switch (policy) {
        case OFF -> sharding.setPossible(true).setHow(whole(order));
        case DYNAMIC -> sharding.setPossible(sources.found().isPresent()).setHow(divided(sources));
        case FILE, DATA, FILE_OR_DATA, HINT -> {
          ShardPlacement placement = ShardPlacement.of(graph, policy);
          sharding
              .setPossible(placement.possible() && listed)
              .setHow((placement.possible() && !listed ? NO_LIST : "") + placement.how());
        }
        case UNRECOGNIZED -> throw new IllegalStateException("no policy");
      }
      plan.addShardings(sharding);
    }
    return new DatasetExplanation(plan.build(), sources.found());
  }

  private static PlannedSource planned(SplitSource source) {
    return PlannedSource.newBuilder()
        .setSplits(source.getCount())
        .setFiles(source.getFilesCount() > 0)
        .setGrouped(source.getGrouped())
        .setFirstFile(source.getFilesCount() == 0 ? "" : source.getFiles(0).getName())
        .setBytes(source.getFilesList().stream().mapToLong(SourceFileProto::getSize).sum())
        .build();
  }

  /**
   * The plan with the guarantees that jobs would have.
   *
   * @param state has the workers, on which guarantees depend
   * @param datasetId the dataset's id there; empty if it has none
   * @param stockGuarantee the dispatcher's guarantee for jobs of stock clients that can have it;
   *     empty without a dispatcher
   */
  DatasetPlan withGuarantees(
      DispatcherState state, String datasetId, Optional<Guarantee> stockGuarantee) {
    SplitSourceFinder.Found sources = found.orElse(SplitSourceFinder.Found.NOTHING);
    DatasetPlan.Builder whole = plan.toBuilder().setDatasetId(datasetId);
    for (PlannedSharding.Builder sharding : whole.getShardingsBuilderList()) {
      if (sharding.getPossible()) {
        PlannedGuarantees.add(sharding, state, datasetId, sources);
        stockGuarantee.ifPresent(
            of -> PlannedGuarantees.addOfStockClients(sharding, state, datasetId, sources, of));
      }
    }
    return whole.build();
  }

  private static String whole(RowOrder order) {
    return "each worker makes every element, "
        + order
            .obstacle()
            .map(why -> "in an order of its own, so that readers have no checkpoints: " + why)
            .orElse("in one order that is the same for all");
  }

  private static String divided(Sources sources) {
    if (sources.found().isEmpty()) {
      return "its sources can't be found out: " + sources.obstacle();
    }
    return switch (sources.found().get().sources().size()) {
      case 0 -> "it has no source that can be divided";
      case 1 -> "workers take splits of its source as they need them";
      default -> "workers take splits of each source as they need them";
    };
  }
}

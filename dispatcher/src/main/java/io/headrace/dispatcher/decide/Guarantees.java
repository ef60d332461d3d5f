package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Optional;

/** Chooses the delivery guarantee of a job, and states why it is no stronger. */
final class Guarantees {
  private static final String ASKED = "the client that made the job asked for it";
  private static final String STOCK =
      "the job was made by a client that speaks TensorFlow's protocol alone";
  private static final String CACHED =
      "its elements go to several trainers, through a cross-trainer cache that drops the oldest";
  private static final String NO_RECEIPTS =
      "a client that reads by unary calls can't say which records it has received";

  private Guarantees() {}

  /**
   * A granted guarantee.
   *
   * @param guarantee the guarantee
   * @param reason why it is no stronger; empty for the strongest
   * @param bounded see {@link Job#bounded}
   */
  record Granted(Guarantee guarantee, String reason, boolean bounded) {
    Granted(Guarantee guarantee, String reason) {
      this(guarantee, reason, false);
    }
  }

  /** The guarantee of jobs that stock clients create. */
  static Granted ofStockClients(GetOrCreateJobRequest request) {
    return request.getUseCrossTrainerCache()
        ? new Granted(Guarantee.AT_MOST_ONCE, CACHED)
        : new Granted(Guarantee.AT_MOST_ONCE, STOCK, true);
  }

  /**
   * The strongest guarantee for a stock client's job, where the dispatcher's configuration asks for
   * it.
   */
  static Granted strongestOfStockClients(
      DispatcherState state, GetOrCreateJobRequest request, SplitSourceFinder.Found found) {
    Optional<String> obstacle = obstacle(state, request, found.notRemade());
    return obstacle.isEmpty()
        ? new Granted(Guarantee.AT_LEAST_ONCE, STOCK)
        : new Granted(Guarantee.AT_MOST_ONCE, obstacle.get(), true);
  }

  /**
   * The guarantee of a new job.
   *
   * @param state the dispatcher's state
   * @param request the reader's request
   * @param found the dataset's sources and their properties
   * @throws StatusException FAILED_PRECONDITION, naming the obstacle, if the requested guarantee
   *     can't be had
   */
  static Granted grant(
      DispatcherState state, JoinIterationRequest request, SplitSourceFinder.Found found) {
    return switch (request.getGuarantee()) {
      case AT_MOST_ONCE -> new Granted(Guarantee.AT_MOST_ONCE, ASKED);
      case AT_LEAST_ONCE -> {
        obstacle(state, request.getJob(), found.notRemade())
            .ifPresent(obstacle -> {
              throw refused("at least", obstacle, instead(obstacle, found));
            });
        yield new Granted(Guarantee.AT_LEAST_ONCE, ASKED);
      }
      case EXACTLY_ONCE -> {
        obstacleToReceipts(state, request, found)
            .ifPresent(obstacle -> {
              throw refused("exactly", obstacle, instead(obstacle, found));
            });
        yield new Granted(Guarantee.EXACTLY_ONCE, "");
      }
      case GUARANTEE_UNSPECIFIED, UNRECOGNIZED -> strongest(state, request, found);
    };
  }

  private static Granted strongest(
      DispatcherState state, JoinIterationRequest request, SplitSourceFinder.Found found) {
    Optional<String> toExactly = obstacleToReceipts(state, request, found);
    if (toExactly.isEmpty()) {
      return new Granted(Guarantee.EXACTLY_ONCE, "");
    }
    Optional<String> toAtLeast = obstacle(state, request.getJob(), found.notRemade());
    return toAtLeast.isEmpty()
        ? new Granted(Guarantee.AT_LEAST_ONCE, toExactly.get())
        : new Granted(Guarantee.AT_MOST_ONCE, toAtLeast.get());
  }

  private static StatusException refused(String howOften, String obstacle, String instead) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "the job can't be read %s once: %s%s",
        howOften,
        obstacle,
        instead);
  }

  /** The advice to one whose request the dataset itself prevents; otherwise empty. */
  private static String instead(String obstacle, SplitSourceFinder.Found found) {
    boolean isOfDataset =
        Optional.of(obstacle).equals(found.lostLineage())
            || Optional.of(obstacle).equals(found.notRemade());
    return isOfDataset
        ? ". Put this transformation behind distribute, where the reader runs it, or ask for "
            + (found.notRemade().isEmpty() ? Guarantee.AT_LEAST_ONCE : Guarantee.AT_MOST_ONCE)
        : "";
  }

  /**
   * Requires the existing {@code job} to have the requested guarantee, and the reader to support
   * it.
   *
   * @throws StatusException FAILED_PRECONDITION otherwise
   */
  static void requireJoinable(Job job, JoinIterationRequest request) {
    Guarantee wanted = request.getGuarantee();
    if (request.getSendsNoReceipts() && job.isExactlyOnce()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "job %s is read exactly once, and %s; give it another name",
          job.name(),
          NO_RECEIPTS);
    }
    if (wanted != Guarantee.GUARANTEE_UNSPECIFIED && wanted != job.guarantee()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "job %s exists with the guarantee %s%s, and can't be joined with %s; give it another"
              + " name, or ask for no guarantee",
          job.name(),
          job.guarantee(),
          job.guaranteeReason().isEmpty() ? "" : " (" + job.guaranteeReason() + ")",
          wanted);
    }
  }

  private static Optional<String> obstacleToReceipts(
      DispatcherState state, JoinIterationRequest request, SplitSourceFinder.Found found) {
    return request.getSendsNoReceipts()
        ? Optional.of(NO_RECEIPTS)
        : obstacle(state, request.getJob(), found.lostLineage());
  }

  /**
   * The obstacle to making lost work again.
   *
   * @param state the dispatcher's state
   * @param request describes the job
   * @param ofDataset the obstacle in the dataset, if it has one
   */
  private static Optional<String> obstacle(
      DispatcherState state, GetOrCreateJobRequest request, Optional<String> ofDataset) {
    if (request.getUseCrossTrainerCache()) {
      return Optional.of(CACHED);
    }
    ShardingPolicy policy = request.getProcessingModeDef().getShardingPolicy();
    if (policy == ShardingPolicy.OFF) {
      return Optional.of("without sharding (OFF) each worker makes every element; use DYNAMIC");
    }
    if (policy != ShardingPolicy.DYNAMIC) {
      return Optional.of(
          "with the sharding policy %s no worker can take over another's share; use DYNAMIC"
              .formatted(policy));
    }
    return ofDataset.or(() -> obstacleOfWorkers(state, request.getDatasetId()));
  }

  /** Workers that register later are assumed to be capable, so an empty fleet is no obstacle. */
  private static Optional<String> obstacleOfWorkers(DispatcherState state, String datasetId) {
    if (state.workers().size() == 0) {
      return Optional.empty();
    }
    RegisteredDataset dataset = state.datasets().get(datasetId);
    Optional<String> obstacle = Optional.empty();
    for (RegisteredWorker worker : state.workers().all()) {
      if (worker.tracksOrigins() && worker.canRun(dataset)) {
        return Optional.empty();
      }
      if (worker.tracksOrigins()) {
        obstacle = worker.missingOp(dataset).map(missing -> lacking(worker, missing));
      } else if (obstacle.isEmpty()) {
        obstacle = Optional.of(notTracking(worker));
      }
    }
    return obstacle;
  }

  private static String lacking(RegisteredWorker worker, OpUse missing) {
    return "worker %s does not support op %s (node %s), and no other can tell which records an"
            .formatted(worker.address(), missing.getOp(), missing.getNode())
        + " element was made of";
  }

  private static String notTracking(RegisteredWorker worker) {
    return "worker %s can't trace elements to records, like TensorFlow's own workers,"
            .formatted(worker.address())
        + " and no registered worker can";
  }
}

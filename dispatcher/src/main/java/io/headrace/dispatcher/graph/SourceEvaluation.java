package io.headrace.dispatcher.graph;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.proto.data.DatasetDef;
import io.headrace.runtime.file.ReservedFolders;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.OutputBudget;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Evaluates the graphs of datasets in the dispatcher's process, up to the dataset itself: whatever
 * computes its sources runs, and the functions of its transformations do not. Graphs come from
 * clients, so little is allowed:
 *
 * <ul>
 *   <li>ops that only compute, use resources of their own step, read files, or make datasets that
 *       write files when they are read; any other op that is reached is FAILED_PRECONDITION, naming
 *       op and node ({@link Touch});
 *   <li>no file of the work_dir, which its journal has reserved ({@link ReservedFolders}):
 *       FAILED_PRECONDITION;
 *   <li>a time, after which the evaluation is cancelled: DEADLINE_EXCEEDED;
 *   <li>the bytes of a quarter of the heap, for all evaluations that run: RESOURCE_EXHAUSTED.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class SourceEvaluation {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int PART_OF_HEAP = 4;
  private static final String TABLE_OF_A_DATASET = "InitializeTableFromDataset";

  /** No dataset is read here, so none that writes when it is read does. */
  private static final Set<Touch> ALLOWED = EnumSet.of(Touch.READS_FILES, Touch.PASSES_WRITE_FILES);

  private final Executor threads;
  private final OpRegistry ops;
  private final Duration timeout;
  private final OutputBudget budget;

  /**
   * An evaluation with other bounds, for tests.
   *
   * @param threads run the evaluations, which may block
   * @param ops the ops that graphs may name
   * @param timeout the longest that an evaluation may take
   * @param maxBytes the most bytes that running evaluations may make
   */
  SourceEvaluation(Executor threads, OpRegistry ops, Duration timeout, long maxBytes) {
    this.threads = threads;
    this.ops = ops.replacing(SourceEvaluation::allowed);
    this.timeout = timeout;
    this.budget = OutputBudget.ofBytes(maxBytes);
  }

  /** Evaluations on {@code threads}, which may block. */
  public static SourceEvaluation on(Executor threads) {
    return on(threads, TIMEOUT);
  }

  /** Evaluations on {@code threads} of at most {@code timeout} each. */
  public static SourceEvaluation on(Executor threads, Duration timeout) {
    return new SourceEvaluation(
        threads, OpRegistry.standard(), timeout, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
  }

  private static Op allowed(Op op) {
    if (op.name().equals(TABLE_OF_A_DATASET)) {
      // Functions look keys up, which workers run. A source that does finds the table empty.
      return op.withKernel(_ -> _ -> {});
    }
    return ALLOWED.containsAll(op.touches())
        ? op
        : op.withKernel(node ->
            _ -> {
              throw refused(node);
            });
  }

  private static StatusException refused(NodeSpec node) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "op %s (node %s) %s, which a dispatcher does not do: it runs whatever computes the sources"
            + " of a dataset, to divide them among workers; move the op into a function of the"
            + " dataset, such as that of a map, which workers run, or run it before the dataset is"
            + " registered",
        node.op().name(),
        node.name(),
        node.op().touches().stream().map(Touch::verb).collect(Collectors.joining(" and ")));
  }

  /** The result of {@code inspection}, which is called with the dataset on one of the threads. */
  <T> CompletableFuture<T> of(DatasetDef dataset, Function<DatasetValue, T> inspection) {
    Cancellation cancellation = new Cancellation();
    CompletableFuture<Void> timeUp =
        new CompletableFuture<Void>().completeOnTimeout(null, timeout.toNanos(), NANOSECONDS);
    // First, since the evaluation itself may run on this thread.
    var _ = timeUp.thenRunAsync(cancellation::cancel, threads);
    CompletableFuture<T> result =
        CompletableFuture.supplyAsync(() -> evaluate(dataset, inspection, cancellation), threads);
    // A kernel may take its time to notice, or wait for a disk that does not answer.
    var _ = timeUp.thenRun(() -> result.completeExceptionally(tooLong()));
    return result.whenComplete((_, _) -> timeUp.cancel(false));
  }

  private <T> T evaluate(
      DatasetDef dataset, Function<DatasetValue, T> inspection, Cancellation cancellation) {
    try (OutputBudget part = budget.part()) {
      StepContext step = StepContext.standalone().withCancellation(cancellation).withOutputs(part);
      return inspection.apply(DatasetGraph.read(dataset.getGraph()).load(ops, step));
    } catch (StatusException e) {
      throw cancellation.isCancelled() ? tooLong() : e;
    }
  }

  private StatusException tooLong() {
    return StatusException.of(
        StatusCode.DEADLINE_EXCEEDED,
        "the sources of the dataset take longer to compute than the %s that a dispatcher has for"
            + " them; compute them before the dataset is registered, or in a function of it, which"
            + " workers run",
        timeout);
  }
}

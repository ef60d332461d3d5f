package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.graph.RowOrder;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.IterationSources;
import io.headrace.dispatcher.state.Job;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;

/**
 * Tokens of jobs without sharding, where each worker makes a copy of all elements. A token lists
 * the rows taken of each copy. Any worker can continue any copy, provided that there are as many
 * workers as copies and the row order is deterministic.
 */
final class CopyTokens {
  private CopyTokens() {}

  /**
   * The row order of {@code job}.
   *
   * @throws StatusException FAILED_PRECONDITION, naming the obstacle, if the order is not known
   */
  static RowOrder requireOrder(Job job, SplitSourceFinder.Found found) {
    if (!job.isWhole()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "the checkpoint is of parallel epochs (sharding policy OFF), and job %s has the sharding"
              + " policy %s",
          job.name(),
          job.processingMode().getShardingPolicy());
    }
    RowOrder order = found.order().orElseThrow();
    order
        .obstacle()
        .ifPresent(obstacle -> {
          throw StatusException.of(
              StatusCode.FAILED_PRECONDITION,
              "job %s can't resume from a checkpoint because its row order is not deterministic:"
                  + " %s",
              job.name(),
              obstacle);
        });
    return order;
  }

  /**
   * A hash of the request's token, never 0.
   *
   * @throws StatusException INVALID_ARGUMENT for records that are not rows of the token's copies
   */
  static long hash(JoinIterationRequest request) {
    RecordSet taken = IterationSources.parse(request.getTaken(), "taken");
    for (long copy : taken.sources()) {
      boolean rowsOnly = taken.groups(copy).equals(List.of(Origins.SPLITS));
      if (copy < 0 || copy >= request.getCopies() || !rowsOnly) {
        throw StatusException.invalidArgument(
            "taken: %d is not one of the checkpoint's %d copies, or its records are not rows",
            copy, request.getCopies());
      }
    }
    long hash = IterationSources.hash(taken) * 31 + request.getCopies();
    return hash == 0 ? 1 : hash;
  }

  /**
   * Requires as many workers as the token has copies.
   *
   * @throws StatusException INVALID_ARGUMENT, naming both numbers, otherwise
   */
  static void requireWorkers(long copies, int tasks) {
    if (copies != 0 && copies != tasks) {
      throw StatusException.invalidArgument(
          "the checkpoint is of the copies of %d workers, and %d workers are there to go on with"
              + " them",
          copies, tasks);
    }
  }
}

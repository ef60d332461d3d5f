package io.headrace.dataset.execute.shard;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.transform.ShardDataset;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/**
 * Static sharding: rewrites a dataset's graph so that it yields one worker's share of the elements.
 * The shares of all workers together are the whole.
 *
 * @param policy by what the elements are divided
 * @param numWorkers the number of shares
 * @param index which of them, from 0
 */
public record AutoShard(Policy policy, long numWorkers, long index) {
  /** By what elements are divided; TensorFlow's AutoShardPolicy. */
  public enum Policy {
    /** By the files that readers read. NOT_FOUND for a dataset that reads none. */
    FILE,
    /** By elements: every worker produces all of them, and keeps its own. */
    DATA,
    /** By files where that can be done, otherwise by elements. */
    AUTO,
    /** Where the dataset has a {@code shard} of {@link #SHARD_HINT} shards. */
    HINT
  }

  /** The number of shards of a {@code shard} that is to be filled in by {@link Policy#HINT}. */
  public static final long SHARD_HINT = ShardDataset.HINT;

  /** INVALID_ARGUMENT unless {@code index} is one of {@code numWorkers}. */
  public AutoShard {
    if (numWorkers < 1) {
      throw StatusException.invalidArgument("num_workers should be >= 1, currently %d", numWorkers);
    }
    if (index < 0 || index >= numWorkers) {
      throw StatusException.invalidArgument(
          "index should be >= 0 and < %d, currently %d", numWorkers, index);
    }
  }

  /**
   * {@code dataset} as this worker is to run it.
   *
   * <p>Elements are the same as TensorFlow's, with one exception: where {@code AUTO} finds that not
   * all of a dataset can be divided by files, TensorFlow divides by elements what it has already
   * begun to divide by files, so that elements are missing. Here nothing of the attempt is left.
   *
   * @throws StatusException NOT_FOUND if it can't be divided so; INVALID_ARGUMENT if the graph is
   *     malformed
   */
  public DatasetGraph rewrite(DatasetGraph dataset) {
    return switch (policy) {
      case FILE -> numWorkers == 1 ? dataset : byFiles(dataset);
      case DATA -> byElements(dataset);
      case AUTO -> byFilesOrElements(dataset);
      case HINT -> byHint(dataset);
    };
  }

  private DatasetGraph byFiles(DatasetGraph dataset) {
    GraphRewrite graph = new GraphRewrite(dataset);
    new FileSharding(graph, this).run();
    return graph.result();
  }

  private DatasetGraph byElements(DatasetGraph dataset) {
    GraphRewrite graph = new GraphRewrite(dataset);
    new DataSharding(graph, this).run();
    return graph.result();
  }

  private DatasetGraph byFilesOrElements(DatasetGraph dataset) {
    try {
      return byFiles(dataset);
    } catch (StatusException e) {
      if (e.code() != StatusCode.NOT_FOUND) {
        throw e;
      }
      return byElements(dataset);
    }
  }

  private DatasetGraph byHint(DatasetGraph dataset) {
    GraphRewrite graph = new GraphRewrite(dataset);
    new HintSharding(graph, this).run();
    return graph.result();
  }
}

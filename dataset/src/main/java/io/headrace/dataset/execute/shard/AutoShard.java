package io.headrace.dataset.execute.shard;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.transform.ShardDataset;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/**
 * Static sharding: rewrites a dataset's graph to yield one worker's shard of the elements. The
 * shards of all workers together are the whole dataset.
 *
 * @param policy the unit of sharding
 * @param numWorkers the number of shards
 * @param index the index of this shard, from 0
 */
public record AutoShard(Policy policy, long numWorkers, long index) {
  /** The unit of sharding; TensorFlow's AutoShardPolicy. */
  public enum Policy {
    /** Input files. NOT_FOUND for a dataset that reads no files. */
    FILE,
    /** Elements: every worker produces all of them and keeps its share. */
    DATA,
    /** Files if possible, otherwise elements. */
    AUTO,
    /** The dataset's own {@code shard} of {@link #SHARD_HINT} shards is filled in. */
    HINT
  }

  /** The number of shards that marks a {@code shard} for {@link Policy#HINT}. */
  public static final long SHARD_HINT = ShardDataset.HINT;

  /** INVALID_ARGUMENT unless {@code index} is from 0 to {@code numWorkers - 1}. */
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
   * This worker's shard of {@code dataset}.
   *
   * <p>The elements are the same as TensorFlow's, with one exception: where {@code AUTO} finds that
   * only a part of a dataset can be sharded by files, TensorFlow keeps the file shards of that part
   * and adds a shard of elements, which loses elements. This implementation starts again from the
   * original graph.
   *
   * @throws StatusException NOT_FOUND if the policy does not apply to the dataset; INVALID_ARGUMENT
   *     if the graph is malformed
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

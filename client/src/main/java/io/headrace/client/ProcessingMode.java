package io.headrace.client;

import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.runtime.status.StatusException;

/** The sharding policy: how the elements of a dataset are divided among the workers. */
public enum ProcessingMode {
  /** Every worker produces the whole dataset; {@code OFF} and "parallel_epochs" in TensorFlow. */
  PARALLEL_EPOCHS(ShardingPolicy.OFF),
  /**
   * Workers request splits of the dataset's sources, so that together they produce it once;
   * "distributed_epoch" in TensorFlow. The job's {@link Guarantee} decides whether the undelivered
   * splits of a worker that dies are produced again or are missing.
   */
  DYNAMIC(ShardingPolicy.DYNAMIC),
  /**
   * Each of a fixed list of workers, the dispatcher's {@code worker_addresses}, reads its shard of
   * the files, whose names must be elements of a dataset: a reader reads them one by one, or a
   * {@code flatMap} or {@code interleave} opens them. A restarted worker starts its shard from the
   * beginning. NOT_FOUND without a list or without files; INVALID_ARGUMENT if there are fewer files
   * than workers.
   */
  FILE(ShardingPolicy.FILE),
  /**
   * Each of a fixed list of workers produces the whole dataset and yields its shard of the
   * elements; otherwise as {@link #FILE}.
   */
  DATA(ShardingPolicy.DATA),
  /** As {@link #FILE} where that can be done, otherwise as {@link #DATA}. */
  FILE_OR_DATA(ShardingPolicy.FILE_OR_DATA),
  /**
   * Each of a fixed list of workers gets its shard where the dataset says {@code
   * shard(Dataset.SHARD_HINT, 0)}: the placeholder is replaced by the worker's shard. Without it,
   * each worker produces the whole dataset.
   */
  HINT(ShardingPolicy.HINT);

  private final ShardingPolicy policy;

  ProcessingMode(ShardingPolicy policy) {
    this.policy = policy;
  }

  /** The mode on the wire. */
  ProcessingModeDef toProto() {
    return ProcessingModeDef.newBuilder().setShardingPolicy(policy).build();
  }

  static ProcessingMode of(ProcessingModeDef proto) {
    for (ProcessingMode mode : values()) {
      if (mode.policy == proto.getShardingPolicy()) {
        return mode;
      }
    }
    throw StatusException.invalidArgument(
        "there is no processing mode %d", proto.getShardingPolicyValue());
  }
}

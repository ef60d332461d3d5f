package io.headrace.client;

import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.runtime.status.StatusException;

/** How the elements of a dataset are divided among the workers that produce them. */
public enum ProcessingMode {
  /** Every worker produces the whole dataset; {@code OFF} and "parallel_epochs" in TensorFlow. */
  PARALLEL_EPOCHS(ShardingPolicy.OFF),
  /**
   * Workers are handed splits of the dataset's sources as they ask for them, so that together they
   * produce it once; "distributed_epoch" in TensorFlow. Whether what a worker that dies was handed
   * and has not delivered is made again, or missing, is the job's {@link Guarantee}.
   */
  DYNAMIC(ShardingPolicy.DYNAMIC),
  /**
   * Each of a fixed list of workers, the dispatcher's {@code worker_addresses}, reads its share of
   * the files, whose names must be elements of a dataset: a reader reads them one by one, or a
   * {@code flatMap} or {@code interleave} opens them. A worker that was restarted begins its share
   * anew. NOT_FOUND without a list or without files; INVALID_ARGUMENT if there are fewer files than
   * workers.
   */
  FILE(ShardingPolicy.FILE),
  /**
   * Each of a fixed list of workers produces the whole dataset, and gives its share of the
   * elements; otherwise as {@link #FILE}.
   */
  DATA(ShardingPolicy.DATA),
  /** As {@link #FILE} where that can be done, otherwise as {@link #DATA}. */
  FILE_OR_DATA(ShardingPolicy.FILE_OR_DATA),
  /**
   * Each of a fixed list of workers has its share of what is put into {@code
   * shard(Dataset.SHARD_HINT, 0)}: that becomes a shard for each worker. Without one, each produces
   * the whole dataset.
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

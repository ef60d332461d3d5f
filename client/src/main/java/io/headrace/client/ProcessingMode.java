package io.headrace.client;

import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.runtime.status.StatusException;

/** How the elements of a dataset are divided among the workers that produce them. */
public enum ProcessingMode {
  /** Every worker produces the whole dataset; {@code OFF} and "parallel_epochs" in TensorFlow. */
  PARALLEL_EPOCHS(ShardingPolicy.OFF),
  /** Workers are handed splits as they ask for them. Not served yet. */
  DYNAMIC(ShardingPolicy.DYNAMIC),
  /** Each of a fixed list of workers has its share of the files. Not served yet. */
  FILE(ShardingPolicy.FILE),
  /** Each of a fixed list of workers has its share of the elements. Not served yet. */
  DATA(ShardingPolicy.DATA),
  /** By files where the dataset has some, by elements otherwise. Not served yet. */
  FILE_OR_DATA(ShardingPolicy.FILE_OR_DATA),
  /** Where the dataset says so itself. Not served yet. */
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

  /** Throws UNIMPLEMENTED naming the mode if it is not served yet. */
  void checkServed() {
    if (this != PARALLEL_EPOCHS) {
      throw StatusException.unimplemented(
          "processing mode %s is not supported: use %s", this, PARALLEL_EPOCHS);
    }
  }
}

package io.headrace.dispatcher.state;

import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.headrace.journal.OpUse;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A registered worker.
 *
 * @param address its identity, at which the dispatcher and clients reach it
 * @param transferServers the endpoints that serve its elements
 * @param tags the tags that its operator gave it
 * @param uid its platform's job id, -1 for none
 * @param knownOps the ops it can run; empty if it did not say, which stands for all ops
 * @param incarnation the number of its process; 0 for stock workers, which send none
 * @param tracksOrigins it reports the records that each element was made of
 * @param index its place in the configured list of workers, if it has one
 * @param host for a stock worker the host that registered it, as {@code Caller} names it; empty if
 *     it is not known, and for other workers
 * @param draining an operator drains it, so that it gets no more tasks
 */
public record RegisteredWorker(
    String address,
    List<DataTransferServerInfo> transferServers,
    List<String> tags,
    long uid,
    Set<String> knownOps,
    long incarnation,
    boolean tracksOrigins,
    OptionalLong index,
    String host,
    boolean draining) {

  /** This worker at a place in the configured list. */
  public RegisteredWorker at(OptionalLong place) {
    return new RegisteredWorker(
        address,
        transferServers,
        tags,
        uid,
        knownOps,
        incarnation,
        tracksOrigins,
        place,
        host,
        draining);
  }

  /** This worker while an operator drains it, or no more. */
  public RegisteredWorker draining(boolean now) {
    return new RegisteredWorker(
        address,
        transferServers,
        tags,
        uid,
        knownOps,
        incarnation,
        tracksOrigins,
        index,
        host,
        now);
  }

  /** Whether it is one of TensorFlow's, which sends no incarnation. */
  public boolean isStock() {
    return incarnation == 0;
  }

  /** An op of {@code dataset} that this worker can't run. */
  public Optional<OpUse> missingOp(RegisteredDataset dataset) {
    return missingOp(dataset.opsInUse());
  }

  /** An op of {@code uses} that this worker can't run. */
  public Optional<OpUse> missingOp(List<OpUse> uses) {
    return knownOps.isEmpty()
        ? Optional.empty()
        : uses.stream().filter(use -> !knownOps.contains(use.getOp())).findFirst();
  }

  /**
   * Whether the worker has a task in an iteration.
   *
   * @param numShards the number of shards with static sharding, otherwise 0
   */
  public boolean hasPart(long numShards) {
    return numShards == 0 || (index.isPresent() && index.getAsLong() < numShards);
  }

  /** Whether the job's guarantee allows the worker to have its tasks. */
  public boolean keeps(Job job) {
    return tracksOrigins || !job.remakes();
  }

  public boolean canRun(RegisteredDataset dataset) {
    return missingOp(dataset).isEmpty();
  }

  /** Whether the worker may get tasks of {@code job}, which reads {@code dataset}. */
  public boolean mayRun(Job job, RegisteredDataset dataset) {
    return !draining && keeps(job) && canRun(dataset);
  }
}

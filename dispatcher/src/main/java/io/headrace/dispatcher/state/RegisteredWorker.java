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
 * @param address its identity, and where dispatcher and clients reach it
 * @param transferServers where its elements are read from
 * @param tags what its owner calls it
 * @param uid its platform's job id, -1 for none
 * @param knownOps the ops it can run; empty if it did not say, and then it is taken to know all
 * @param incarnation the number of its process; 0 if it did not say, as stock workers do not
 * @param tracksOrigins it can say of each element which records it was made of
 * @param index its place in the configured list of workers, if there is one
 */
public record RegisteredWorker(
    String address,
    List<DataTransferServerInfo> transferServers,
    List<String> tags,
    long uid,
    Set<String> knownOps,
    long incarnation,
    boolean tracksOrigins,
    OptionalLong index) {

  /** This worker at a place in the configured list. */
  public RegisteredWorker at(OptionalLong place) {
    return new RegisteredWorker(
        address, transferServers, tags, uid, knownOps, incarnation, tracksOrigins, place);
  }

  /** An op of {@code dataset} that this worker does not know. */
  public Optional<OpUse> missingOp(RegisteredDataset dataset) {
    return knownOps.isEmpty()
        ? Optional.empty()
        : dataset.opsInUse().stream().filter(use -> !knownOps.contains(use.getOp())).findFirst();
  }

  /**
   * Whether it has a part in an iteration.
   *
   * @param numShards with static sharding the number of shares, otherwise 0
   */
  public boolean hasPart(long numShards) {
    return numShards == 0 || (index.isPresent() && index.getAsLong() < numShards);
  }

  /** Whether it may have tasks of {@code job}, as far as its guarantee goes. */
  public boolean keeps(Job job) {
    return tracksOrigins || !job.remakes();
  }

  public boolean canRun(RegisteredDataset dataset) {
    return missingOp(dataset).isEmpty();
  }

  /** Whether it may have tasks of {@code job}, which passes over {@code dataset}. */
  public boolean mayRun(Job job, RegisteredDataset dataset) {
    return keeps(job) && canRun(dataset);
  }
}

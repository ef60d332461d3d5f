package io.headrace.dispatcher;

import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.headrace.journal.OpUse;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A registered worker.
 *
 * @param address its identity, and where dispatcher and clients reach it
 * @param transferServers where its elements are read from
 * @param tags what its owner calls it
 * @param uid its platform's job id, -1 for none
 * @param knownOps the ops it can run; empty if it did not say, and then it is taken to know all
 */
record Worker(
    String address,
    List<DataTransferServerInfo> transferServers,
    List<String> tags,
    long uid,
    Set<String> knownOps) {

  /** An op of {@code dataset} that this worker does not know. */
  Optional<OpUse> missingOp(Dataset dataset) {
    return knownOps.isEmpty()
        ? Optional.empty()
        : dataset.opsInUse().stream().filter(use -> !knownOps.contains(use.getOp())).findFirst();
  }

  boolean canRun(Dataset dataset) {
    return missingOp(dataset).isEmpty();
  }
}

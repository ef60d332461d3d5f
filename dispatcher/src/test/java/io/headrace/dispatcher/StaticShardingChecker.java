package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.proto.data.TaskDef;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the statically sharded passes of a {@link Simulation}: a pass that ended was read
 * completely, and a reader that failed had a reason.
 */
final class StaticShardingChecker {
  /** Allows for message delays and for the dispatcher's slowest turn. */
  private static final long SLACK_NANOS = 30_000_000_000L;

  private static final Pattern REASON =
      Pattern.compile(
          "share (\\d+) of (\\d+) of the dataset has been without a worker for too long: worker"
              + " (\\S+) (does not answer|of worker_addresses is not there)");

  private final Simulation simulation;
  private final List<String> configured;
  private final Map<Long, Map<Long, BitSet>> read = new HashMap<>();
  private final Map<Long, Integer> elements = new HashMap<>();
  private int whole;
  private int failed;

  /** A check for the listed workers; without a list there are no statically sharded passes. */
  StaticShardingChecker(Simulation simulation, List<String> configured) {
    this.simulation = simulation;
    this.configured = configured;
  }

  List<String> configured() {
    return configured;
  }

  /** Whether a registered worker has lost its index, if there is a list. */
  boolean isOutside(DispatcherState state, String address) {
    return !configured.isEmpty()
        && state.workers().find(address).filter(worker -> worker.index().isEmpty()).isPresent();
  }

  /** The number of passes read to their end. */
  int whole() {
    return whole;
  }

  /** The number of readers that failed for a shard without a worker. */
  int failed() {
    return failed;
  }

  /** A reader has joined an iteration with so many elements per shard. */
  void joins(long iteration, int elementsOfShare) {
    elements.put(iteration, elementsOfShare);
  }

  /** A worker has handed out an element of its shard. */
  void read(TaskDef task, int position) {
    read.computeIfAbsent(task.getIterationId(), _ -> new HashMap<>())
        .computeIfAbsent(task.getWorkerIndex(), _ -> new BitSet())
        .set(position);
  }

  /** A reader has ended its pass, which must be complete. */
  void requireWhole(long iteration) {
    Integer ofShare = elements.get(iteration);
    // An iteration without tasks is for a reader that came after the repetition ended.
    if (ofShare == null || simulation.ledger().tasksOf(iteration).isEmpty()) {
      return;
    }
    whole++;
    for (long share = 0; share < configured.size(); share++) {
      int had =
          read.getOrDefault(iteration, Map.of()).getOrDefault(share, new BitSet()).cardinality();
      simulation.require(
          had == ofShare,
          "iteration %d is over, and of share %d were read %d elements of %d",
          iteration,
          share,
          had,
          ofShare);
    }
  }

  /** A reader failed; the reason must name a listed worker with a fault. */
  void fails(long client, String reason) {
    failed++;
    Matcher words = REASON.matcher(reason);
    boolean understood = words.matches();
    simulation.require(understood, "client %d is told: %s", client, reason);
    if (!understood) {
      return;
    }
    simulation.require(
        Integer.parseInt(words.group(2)) == configured.size(), "there is no %s", reason);
    simulation.ledger().requireUp(Simulation.WORKER_TIMEOUT, reason);
    String address = words.group(3);
    if (words.group(4).startsWith("does")) {
      boolean reachable =
          simulation.network().reach(Simulation.DISPATCHER, address, SimulatedWorker.class) != null;
      long trouble = simulation.network().lastTroubleNanos(address);
      simulation.require(
          !reachable || simulation.now() - trouble < SLACK_NANOS,
          "client %d is told: %s, and it does",
          client,
          reason);
    } else {
      simulation.require(
          configured.get(Integer.parseInt(words.group(1))).equals(address),
          "no place of %s",
          reason);
    }
  }
}

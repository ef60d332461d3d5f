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
 * Says of each pass of a {@link Simulation} that is divided among the configured workers whether
 * all of it was read, and of its readers that were failed, whether there was a reason.
 */
final class SimulatedShares {
  /** What is heard may be old by what messages take, and by the dispatcher's slowest turn. */
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

  /** Shares of the workers that are listed; without any there is no such pass. */
  SimulatedShares(Simulation simulation, List<String> configured) {
    this.simulation = simulation;
    this.configured = configured;
  }

  List<String> configured() {
    return configured;
  }

  /** Whether a registered worker has lost its place in the list, where there is one. */
  boolean isOutside(DispatcherState state, String address) {
    return !configured.isEmpty()
        && state.workers().find(address).filter(worker -> worker.index().isEmpty()).isPresent();
  }

  /** How many passes were read to their end. */
  int whole() {
    return whole;
  }

  /** How many readers were told that a share is without a worker. */
  int failed() {
    return failed;
  }

  /** A reader has a place in an iteration whose shares have so many elements each. */
  void joins(long iteration, int elementsOfShare) {
    elements.put(iteration, elementsOfShare);
  }

  /** A worker has handed out an element of its share. */
  void read(TaskDef task, int position) {
    read.computeIfAbsent(task.getIterationId(), _ -> new HashMap<>())
        .computeIfAbsent(task.getWorkerIndex(), _ -> new BitSet())
        .set(position);
  }

  /** A reader is at the end: nobody may be told so of a pass that lacks something. */
  void requireWhole(long iteration) {
    Integer ofShare = elements.get(iteration);
    // One without tasks is for whoever comes late to a repetition that is over.
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

  /** A reader is failed: the reason must name a worker of the list that there is something with. */
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

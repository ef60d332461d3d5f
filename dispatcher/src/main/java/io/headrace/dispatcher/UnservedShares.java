package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.LivenessView;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The shards of statically sharded iterations without a live worker, and since when: a part of
 * {@link SoftState}. Their readers are told after a timeout.
 */
final class UnservedShares {
  private final IdleTracker<Share> idle = new IdleTracker<>();
  private Map<Long, List<Long>> overdue = Map.of();

  private record Share(long iteration, long number) implements Comparable<Share> {
    @Override
    public int compareTo(Share other) {
      int byIteration = Long.compare(iteration, other.iteration);
      return byIteration != 0 ? byIteration : Long.compare(number, other.number);
    }
  }

  /**
   * Updates the unserved shards. Returns the iterations whose set of overdue shards, those unserved
   * for {@code timeout}, has changed.
   */
  Set<Long> update(DispatcherState state, LivenessView liveness, Duration timeout, long nowNanos) {
    Set<Share> unserved = new HashSet<>();
    for (Iteration iteration : state.iterations().unfinished()) {
      for (long number = 0; number < iteration.numShards(); number++) {
        if (!isServed(iteration.taskOfShard(number), liveness)) {
          unserved.add(new Share(iteration.id(), number));
        }
      }
    }
    idle.retain(unserved::contains);
    unserved.forEach(share -> idle.idle(share, nowNanos));
    return replace(idle.idleFor(timeout, nowNanos));
  }

  private static boolean isServed(Optional<Task> task, LivenessView liveness) {
    return task.isPresent()
        && (task.get().isFinished() || !liveness.isLost(task.get().workerAddress()));
  }

  private Set<Long> replace(List<Share> shares) {
    Map<Long, List<Long>> now = new TreeMap<>();
    shares.forEach(share ->
        now.computeIfAbsent(share.iteration(), _ -> new ArrayList<>()).add(share.number()));
    Set<Long> changed = new HashSet<>(now.keySet());
    changed.addAll(overdue.keySet());
    changed.removeIf(iteration -> overdue(iteration).equals(now.get(iteration)));
    overdue = now;
    return changed;
  }

  /** The shards of an iteration that have been unserved for the timeout. */
  List<Long> overdue(long iteration) {
    return overdue.getOrDefault(iteration, List.of());
  }

  /** Restarts the time of every shard. */
  void restart(long nowNanos) {
    idle.restart(nowNanos);
    overdue = Map.of();
  }
}

package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Liveness;
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
 * Shares of statically sharded iterations that no live worker produces, and since when: a part of
 * {@link SoftState}. After so long, their readers are told.
 */
final class UnservedShares {
  private final IdleTimes<Share> idle = new IdleTimes<>();
  private Map<Long, List<Long>> overdue = Map.of();

  private record Share(long iteration, long number) implements Comparable<Share> {
    @Override
    public int compareTo(Share other) {
      int byIteration = Long.compare(iteration, other.iteration);
      return byIteration != 0 ? byIteration : Long.compare(number, other.number);
    }
  }

  /**
   * Time went on: gives the iterations of which it is other shares than before that have been
   * without a worker for {@code timeout}.
   */
  Set<Long> look(DispatcherState state, Liveness liveness, Duration timeout, long nowNanos) {
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

  private static boolean isServed(Optional<Task> task, Liveness liveness) {
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

  /** The shares of an iteration that have been without a worker for too long. */
  List<Long> overdue(long iteration) {
    return overdue.getOrDefault(iteration, List.of());
  }

  /** Every share gets its full time again. */
  void beginAnew(long nowNanos) {
    idle.beginAnew(nowNanos);
    overdue = Map.of();
  }
}

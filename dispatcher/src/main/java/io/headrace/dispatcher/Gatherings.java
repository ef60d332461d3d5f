package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The passes that wait for readers which resume together, and since when the last of these joined:
 * a part of {@link SoftState}.
 */
final class Gatherings {
  /** The wait after which the log warns; later warnings come after twice the time each. */
  static final Duration WARNED_AFTER = Duration.ofSeconds(30);

  private final Map<Long, Gathering> byIteration = new HashMap<>();

  private record Gathering(long sinceNanos, Duration nextWarning) {}

  /** A reader has joined an iteration. */
  void joined(Iteration iteration, long nowNanos) {
    if (iteration.isAwaiting()) {
      byIteration.put(iteration.id(), new Gathering(nowNanos, WARNED_AFTER));
    } else {
      byIteration.remove(iteration.id());
    }
  }

  /** How long an iteration has waited; 0 if it waits for nobody. */
  Duration waited(long iteration, long nowNanos) {
    @Nullable Gathering gathering = byIteration.get(iteration);
    return gathering == null
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, nowNanos - gathering.sinceNanos));
  }

  /** Tells the log of those that have waited for long and have a reader. */
  void warn(DispatcherState state, long nowNanos) {
    forgetRemoved(state);
    byIteration.replaceAll((id, gathering) -> {
      Iteration iteration = state.iterations().find(id).orElseThrow();
      Duration waited = waited(id, nowNanos);
      if (waited.compareTo(gathering.nextWarning) < 0 || iteration.numClients() == 0) {
        return gathering;
      }
      JobLog.gathers(iteration, waited);
      return new Gathering(gathering.sinceNanos, gathering.nextWarning.multipliedBy(2));
    });
  }

  /** Starts over: the time before is unknown. */
  void restart(DispatcherState state, long nowNanos) {
    byIteration.clear();
    state.iterations().unfinished().forEach(iteration -> joined(iteration, nowNanos));
  }

  /** Forgets the iterations that are no longer in {@code state} or that wait no more. */
  void forgetRemoved(DispatcherState state) {
    byIteration
        .keySet()
        .removeIf(id -> state.iterations().find(id).filter(Iteration::isAwaiting).isEmpty());
  }
}

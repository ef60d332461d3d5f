package io.headrace.dispatcher;

import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The clients that watch their iterations, at most one watcher a client. Used on the {@link
 * CommitLoop} only.
 */
final class IterationWatchers {
  private final Map<Long, Watch> byClient = new HashMap<>();
  private final Map<Long, Set<Watch>> byIteration = new HashMap<>();
  private final Set<Long> touched = new HashSet<>();

  /** Where a client is told. Called on the loop, so it must not block. */
  interface Watcher {
    /** How the iteration stands. One that is finished ends the watch. */
    void tell(WatchIterationResponse response);

    /** The watch ends, for this reason. */
    void fail(StatusException reason);
  }

  private static final class Watch {
    private final long client;
    private final long iteration;
    private final Watcher watcher;
    private @Nullable WatchIterationResponse last;

    Watch(long client, long iteration, Watcher watcher) {
      this.client = client;
      this.iteration = iteration;
      this.watcher = watcher;
    }
  }

  /**
   * Has {@code watcher} told of the iteration from now on, in the place of the client's last one.
   */
  void add(long client, long iteration, Watcher watcher) {
    end(
        client,
        new StatusException(StatusCode.ABORTED, "another watch of this client took its place"));
    Watch watch = new Watch(client, iteration, watcher);
    byClient.put(client, watch);
    byIteration.computeIfAbsent(iteration, _ -> new HashSet<>()).add(watch);
    touch(iteration);
  }

  /** Gives whether {@code watcher} was still there. */
  boolean remove(long client, Watcher watcher) {
    @Nullable Watch watch = byClient.get(client);
    if (watch == null || !watch.watcher.equals(watcher)) {
      return false;
    }
    drop(watch);
    return true;
  }

  /** Ends the watch of a client, if there is one. */
  void end(long client, StatusException reason) {
    @Nullable Watch watch = byClient.get(client);
    if (watch != null) {
      drop(watch);
      watch.watcher.fail(reason);
    }
  }

  void endAll(StatusException reason) {
    List.copyOf(byClient.keySet()).forEach(client -> end(client, reason));
  }

  /** The iteration may have changed. */
  void touch(long iteration) {
    if (byIteration.containsKey(iteration)) {
      touched.add(iteration);
    }
  }

  void touchAll() {
    touched.addAll(byIteration.keySet());
  }

  /**
   * Tells of what was touched, where it differs from what was told.
   *
   * @param view how an iteration stands; what it throws ends the watches of that iteration
   */
  void flush(Function<Long, WatchIterationResponse> view) {
    for (long iteration : List.copyOf(touched)) {
      List<Watch> watches = new ArrayList<>(byIteration.getOrDefault(iteration, Set.of()));
      try {
        WatchIterationResponse response = view.apply(iteration);
        watches.forEach(watch -> tell(watch, response));
      } catch (StatusException e) {
        watches.forEach(watch -> end(watch.client, e));
      }
    }
    touched.clear();
  }

  private void tell(Watch watch, WatchIterationResponse response) {
    if (response.equals(watch.last)) {
      return;
    }
    watch.last = response;
    if (response.getIterationFinished()) {
      drop(watch);
    }
    watch.watcher.tell(response);
  }

  private void drop(Watch watch) {
    byClient.remove(watch.client);
    Set<Watch> others = byIteration.getOrDefault(watch.iteration, new HashSet<>());
    others.remove(watch);
    if (others.isEmpty()) {
      byIteration.remove(watch.iteration);
    }
  }
}

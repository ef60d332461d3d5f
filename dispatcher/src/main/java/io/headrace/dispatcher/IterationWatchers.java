package io.headrace.dispatcher;

import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The clients that watch their iterations, at most one watcher a client. Used on the {@link
 * CommitLoop} only.
 */
final class IterationWatchers {
  private final Map<Long, Watch> byClient = new HashMap<>();
  private final Map<Long, Set<Watch>> byIteration = new HashMap<>();
  private final Map<Long, Set<Long>> touched = new LinkedHashMap<>();
  private final Set<Long> touchedWhole = new HashSet<>();
  private final LongConsumer onEnd;

  /**
   * No watchers.
   *
   * @param onEnd is told of each client that does not watch any more
   */
  IterationWatchers(LongConsumer onEnd) {
    this.onEnd = onEnd;
  }

  /** How iterations stand; what it throws ends the watches of that iteration. */
  interface View {
    /** All of an iteration. */
    WatchIterationResponse whole(long iteration);

    /** What is to be said of some of its tasks. */
    WatchIterationResponse changes(long iteration, Set<Long> tasks);
  }

  /** Where a client is told. Called on the loop, so it must not block. */
  interface Watcher {
    /**
     * How the iteration stands, or what has changed of that. One that is finished ends the watch.
     */
    void tell(WatchIterationResponse response);

    /** The watch ends, for this reason. */
    void fail(StatusException reason);
  }

  private static final class Watch {
    private final long client;
    private final long iteration;
    private final Watcher watcher;
    private final boolean acceptsChanges;

    /** What it was told last, if that was all. */
    private @Nullable WatchIterationResponse last;

    private boolean told;

    Watch(long client, long iteration, Watcher watcher, boolean acceptsChanges) {
      this.client = client;
      this.iteration = iteration;
      this.watcher = watcher;
      this.acceptsChanges = acceptsChanges;
    }
  }

  /**
   * Has {@code watcher} told of the iteration from now on, in the place of the client's last one.
   *
   * @param acceptsChanges whether it may be told of changes only, once it was told all
   */
  void add(long client, long iteration, Watcher watcher, boolean acceptsChanges) {
    end(
        client,
        new StatusException(StatusCode.ABORTED, "another watch of this client took its place"));
    Watch watch = new Watch(client, iteration, watcher, acceptsChanges);
    byClient.put(client, watch);
    byIteration.computeIfAbsent(iteration, _ -> new LinkedHashSet<>()).add(watch);
    touched.computeIfAbsent(iteration, _ -> new HashSet<>());
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

  /** The iteration may have changed, its tasks apart. */
  void touch(long iteration) {
    if (byIteration.containsKey(iteration)) {
      touched.computeIfAbsent(iteration, _ -> new HashSet<>());
    }
  }

  /** A task of the iteration, or its worker, may have changed. */
  void touch(long iteration, long task) {
    if (byIteration.containsKey(iteration)) {
      touched.computeIfAbsent(iteration, _ -> new HashSet<>()).add(task);
    }
  }

  void touchAll() {
    byIteration.keySet().forEach(this::touch);
    touchedWhole.addAll(byIteration.keySet());
  }

  /** The iterations that are watched. */
  Set<Long> iterations() {
    return Collections.unmodifiableSet(byIteration.keySet());
  }

  /** Tells of what was touched. */
  void flush(View view) {
    for (var entry : List.copyOf(touched.entrySet())) {
      long iteration = entry.getKey();
      List<Watch> watches = new ArrayList<>(byIteration.getOrDefault(iteration, Set.of()));
      Map<Boolean, List<Watch>> byWhole =
          watches.stream().collect(Collectors.partitioningBy(this::isToldAll));
      try {
        tellAll(byWhole.getOrDefault(true, List.of()), iteration, view);
        tellChanges(byWhole.getOrDefault(false, List.of()), iteration, entry.getValue(), view);
      } catch (StatusException e) {
        watches.forEach(watch -> end(watch.client, e));
      }
    }
    touched.clear();
    touchedWhole.clear();
  }

  private boolean isToldAll(Watch watch) {
    return !watch.acceptsChanges || !watch.told || touchedWhole.contains(watch.iteration);
  }

  private void tellAll(List<Watch> watches, long iteration, View view) {
    if (watches.isEmpty()) {
      return;
    }
    WatchIterationResponse whole = view.whole(iteration);
    for (Watch watch : watches) {
      if (!whole.equals(watch.last)) {
        watch.last = whole;
        tell(watch, whole);
      }
    }
  }

  private void tellChanges(List<Watch> watches, long iteration, Set<Long> tasks, View view) {
    if (watches.isEmpty()) {
      return;
    }
    WatchIterationResponse changes = view.changes(iteration, tasks);
    for (Watch watch : watches) {
      watch.last = null;
      tell(watch, changes);
    }
  }

  private void tell(Watch watch, WatchIterationResponse response) {
    watch.told = true;
    if (response.getIterationFinished()) {
      drop(watch);
    }
    watch.watcher.tell(response);
  }

  private void drop(Watch watch) {
    byClient.remove(watch.client);
    onEnd.accept(watch.client);
    Set<Watch> others = byIteration.getOrDefault(watch.iteration, new HashSet<>());
    others.remove(watch);
    if (others.isEmpty()) {
      byIteration.remove(watch.iteration);
    }
  }
}

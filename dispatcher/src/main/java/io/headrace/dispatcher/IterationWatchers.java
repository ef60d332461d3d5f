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
 * The clients that watch their iterations, at most one watcher per client. Used on the {@link
 * CommitLoop} only.
 */
final class IterationWatchers {
  private final Map<Long, Watch> byClient = new HashMap<>();
  private final Map<Long, Set<Watch>> byIteration = new HashMap<>();
  private final Map<Long, Set<Long>> touched = new LinkedHashMap<>();
  private final Set<Long> touchedWhole = new HashSet<>();
  private final LongConsumer onEnd;
  private @Nullable StatusException ended;

  /**
   * An empty set of watchers.
   *
   * @param onEnd called with each client whose watch has ended
   */
  IterationWatchers(LongConsumer onEnd) {
    this.onEnd = onEnd;
  }

  /** Renders iterations for watchers. An exception ends the watches of that iteration. */
  interface View {
    /** The full view of an iteration. */
    WatchIterationResponse whole(long iteration);

    /** The view of some tasks of an iteration. */
    WatchIterationResponse changes(long iteration, Set<Long> tasks);
  }

  /** Receives a client's views. Called on the loop, so it must not block. */
  interface Watcher {
    /** Delivers a full view or changes. A view of a finished iteration ends the watch. */
    void tell(WatchIterationResponse response);

    /** Ends the watch with an error. */
    void fail(StatusException reason);
  }

  private static final class Watch {
    private final long client;
    private final long iteration;
    private final Watcher watcher;
    private final boolean acceptsChanges;

    /** The last message, if it was a full view. */
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
   * Starts a watch, which replaces the client's earlier one.
   *
   * @param client the client
   * @param iteration its iteration
   * @param watcher receives the views
   * @param acceptsChanges whether changes alone may follow the first full view
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

  /** Ends a watch silently; returns whether {@code watcher} was still the client's. */
  boolean remove(long client, Watcher watcher) {
    @Nullable Watch watch = byClient.get(client);
    if (watch == null || !watch.watcher.equals(watcher)) {
      return false;
    }
    drop(watch);
    return true;
  }

  /** Ends the watch of a client with an error, if it has one. */
  void end(long client, StatusException reason) {
    @Nullable Watch watch = byClient.get(client);
    if (watch != null) {
      drop(watch);
      watch.watcher.fail(reason);
    }
  }

  /** Ends all watches with {@code reason}, and refuses others with it. */
  void endAll(StatusException reason) {
    ended = reason;
    List.copyOf(byClient.keySet()).forEach(client -> end(client, reason));
  }

  /** Throws the reason of {@link #endAll}, if it was called. */
  void checkOpen() {
    if (ended != null) {
      throw new StatusException(ended.code(), ended.message());
    }
  }

  /** Marks the iteration as changed, apart from its tasks. */
  void touch(long iteration) {
    if (byIteration.containsKey(iteration)) {
      touched.computeIfAbsent(iteration, _ -> new HashSet<>());
    }
  }

  /** Marks a task of the iteration as changed. */
  void touch(long iteration, long task) {
    if (byIteration.containsKey(iteration)) {
      touched.computeIfAbsent(iteration, _ -> new HashSet<>()).add(task);
    }
  }

  void touchAll() {
    byIteration.keySet().forEach(this::touch);
    touchedWhole.addAll(byIteration.keySet());
  }

  /** The watched iterations. */
  Set<Long> iterations() {
    return Collections.unmodifiableSet(byIteration.keySet());
  }

  /** Sends the views of all changed iterations. */
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

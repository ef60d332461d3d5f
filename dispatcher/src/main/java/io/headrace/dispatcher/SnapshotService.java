package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.LivenessView;
import io.headrace.dispatcher.decide.SnapshotDecisions;
import io.headrace.dispatcher.decide.SnapshotDecisions.Assignments;
import io.headrace.dispatcher.graph.PreparedDataset;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.DistributedSnapshot;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.data.GetSnapshotSplitResponse;
import io.headrace.proto.data.GetSnapshotStreamsResponse;
import io.headrace.proto.data.SnapshotRequest;
import io.headrace.proto.data.SnapshotResponse;
import io.headrace.proto.data.SnapshotTaskDef;
import io.headrace.proto.data.SnapshotTaskProgress;
import io.headrace.proto.headrace.TakeSnapshotSplitsResponse;
import io.headrace.proto.headrace.journal.SnapshotFailed;
import io.headrace.proto.headrace.journal.SnapshotStarted;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Distributed snapshots: requests become records, and records become files. A file is written once
 * its record is durable, and before the answer that tells of it; what a crash left out in between
 * is written before the next answer about the same stream, or when the dispatcher starts.
 * Thread-safe.
 */
final class SnapshotService {
  private static final Logger LOGGER = System.getLogger(SnapshotService.class.getName());

  private final CommitLoop loop;
  private final DispatcherConfig config;
  private final SplitSourceFinder sources;
  private final Executor background;
  private final LivenessView liveness;
  private final Consumer<RegisteredWorker> hurry;
  private final SnapshotDecisions decisions;
  private final SnapshotHandouts handouts;

  /** The paths of snapshots whose folders are about to be created. */
  private final Set<String> starting = ConcurrentHashMap.newKeySet();

  /** The ends that could not be written, as on a full disk, by path. */
  private final Map<String, End> unwritten = new ConcurrentHashMap<>();

  /** Whether there may be a snapshot to write: without one, heartbeats ask nothing. */
  private volatile boolean hasActive = true;

  /**
   * The snapshots of a dispatcher.
   *
   * @param loop owns its state
   * @param config its configuration
   * @param sources finds the sources of datasets
   * @param background runs what blocks
   * @param liveness read on the loop
   * @param hurry has a worker send its next heartbeat now; does not block
   */
  SnapshotService(
      CommitLoop loop,
      DispatcherConfig config,
      SplitSourceFinder sources,
      Executor background,
      LivenessView liveness,
      Consumer<RegisteredWorker> hurry) {
    this.loop = loop;
    this.config = config;
    this.sources = sources;
    this.background = background;
    this.liveness = liveness;
    this.hurry = hurry;
    this.decisions = new SnapshotDecisions(config.workerMaxConcurrentSnapshots());
    this.handouts = new SnapshotHandouts(loop, background);
  }

  /** The end of a snapshot, and why it was given up. */
  private record End(String path, Optional<SnapshotFailed> failure) {}

  /** Writes the ends of snapshots that the last dispatcher may not have written. */
  void open() {
    var _ =
        read(state -> ends(state.snapshots().all().stream()))
            .thenAcceptAsync(ended -> ended.forEach(this::write), background);
  }

  /**
   * The periodic check: workers that can take on a stream are told to ask for it, and ends that
   * could not be written are tried again.
   */
  void tick() {
    if (!unwritten.isEmpty()) {
      background.execute(() -> unwritten.values().forEach(this::write));
    }
    if (hasActive) {
      var _ =
          read(
                  state -> {
                    hasActive = !state.snapshots().active().isEmpty();
                    return decisions.takers(state, liveness);
                  })
              .thenAccept(takers -> takers.forEach(hurry));
    }
  }

  private static List<End> ends(Stream<DistributedSnapshot> snapshots) {
    return snapshots
        .filter(snapshot -> !snapshot.isActive())
        .map(snapshot -> new End(snapshot.path(), snapshot.failure()))
        .toList();
  }

  private void write(End end) {
    handouts.forget(end.path());
    try {
      SnapshotFolder folder = new SnapshotFolder(end.path());
      if (folder.exists()) { // it may have been deleted since
        folder.end(end.failure());
      }
      unwritten.remove(end.path());
    } catch (StatusException e) {
      if (unwritten.putIfAbsent(end.path(), end) == null) {
        LOGGER.log(
            Level.WARNING, "the end of a snapshot can't be written, for now: " + e.message());
      }
    }
  }

  /** Begins a snapshot; workers write it later. */
  CompletableFuture<SnapshotResponse> start(SnapshotRequest request) {
    RequestChecks.check(request, config.faultTolerantMode());
    String path = withoutSlashes(request.getPath());
    PreparedDataset prepared = PreparedDataset.of(request.getDataset());
    if (!starting.add(path)) {
      throw StatusException.of(
          StatusCode.UNAVAILABLE, "a tf.data snapshot at %s is about to begin; try again", path);
    }
    return start(request, path, prepared).whenComplete((_, _) -> starting.remove(path));
  }

  private CompletableFuture<SnapshotResponse> start(
      SnapshotRequest request, String path, PreparedDataset prepared) {
    return read(
            state -> {
              SnapshotDecisions.requireNew(state, path);
              return true;
            })
        .thenCompose(_ -> sources.of(prepared.parsed()))
        .thenApplyAsync(
            found -> {
              new SnapshotFolder(path).create(request.getDataset(), request.getMetadata());
              return SnapshotStarted.newBuilder()
                  .setPath(path)
                  .setMetadata(request.getMetadata())
                  .addAllSources(found.sources())
                  .addAllOpsInUse(prepared.opsInUse())
                  .build();
            },
            background)
        .thenCompose(start ->
            loop.submit((state, _) -> {
              hasActive = true;
              return SnapshotDecisions.start(state, start);
            }))
        .thenApply(_ -> {
          tick();
          return SnapshotResponse.getDefaultInstance();
        });
  }

  private static String withoutSlashes(String path) {
    int end = path.length();
    while (end > 1 && path.charAt(end - 1) == '/') {
      end--;
    }
    return path.substring(0, end);
  }

  /** The streams that the worker at {@code address} is to write. */
  CompletableFuture<List<SnapshotTaskDef>> heartbeat(
      String address, Map<String, SnapshotTaskProgress> progress) {
    if (!hasActive) {
      return CompletableFuture.completedFuture(List.of());
    }
    return loop.submit((state, _) -> decisions.heartbeat(state, liveness, address, progress))
        .thenCompose(assigned ->
            assigned.tasks().isEmpty() && assigned.ended().isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : write(address, assigned));
  }

  private CompletableFuture<List<SnapshotTaskDef>> write(String address, Assignments assigned) {
    return read(state ->
            ends(assigned.ended().stream().flatMap(path -> state.snapshots().find(path).stream())))
        .thenApplyAsync(
            ended -> {
              ended.forEach(this::write);
              return assigned.tasks().stream().flatMap(task -> begun(task, address)).toList();
            },
            background);
  }

  /** The task, once the worker finds its folders; nothing until the next heartbeat if it can't. */
  private static Stream<SnapshotTaskDef> begun(SnapshotTaskDef task, String address) {
    try {
      new SnapshotFolder(task.getBasePath())
          .createStream(task.getStreamIndex(), address, (int) task.getNumSources());
      return Stream.of(task);
    } catch (StatusException e) {
      LOGGER.log(Level.WARNING, "a stream of a snapshot can't begin: " + e.message());
      return Stream.of();
    }
  }

  /** The next split of a source for the worker of a stream. */
  CompletableFuture<GetSnapshotSplitResponse> split(
      GetSnapshotSplitRequest request, Caller caller) {
    return handouts.next(request, caller);
  }

  /** The next splits of a source for the worker of a stream. */
  CompletableFuture<TakeSnapshotSplitsResponse> splits(
      GetSnapshotSplitRequest request, Caller caller) {
    return handouts.several(request, caller);
  }

  /** The streams of the snapshot at {@code path}. */
  CompletableFuture<GetSnapshotStreamsResponse> streams(String path) {
    return read(state -> SnapshotDecisions.streams(state, withoutSlashes(path)));
  }

  private <R> CompletableFuture<R> read(Function<DispatcherState, R> query) {
    return loop.submit((state, _) -> Decision.answer(query.apply(state)));
  }
}

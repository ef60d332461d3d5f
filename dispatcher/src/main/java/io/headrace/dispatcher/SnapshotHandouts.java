package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.SnapshotDecisions;
import io.headrace.dispatcher.decide.SnapshotDecisions.GivenSplit;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.data.GetSnapshotSplitResponse;
import io.headrace.proto.headrace.TakeSnapshotSplitsResponse;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the splits of distributed snapshots, one by one. A stream takes several at a time by
 * records of one commit; the file of each is written when its worker is told of it. So the files
 * say, after a restart too, of which splits of the stream the worker has not been told. A worker
 * that has not got an answer finds its split among the files. Thread-safe.
 */
final class SnapshotHandouts {
  private final CommitLoop loop;
  private final Executor background;

  /** The splits of which no worker has been told, where they are known. */
  private final Map<Key, ArrayDeque<GivenSplit>> untold = new ConcurrentHashMap<>();

  /** The sources of streams with a request in progress: files are written in order. */
  private final Set<Key> busy = ConcurrentHashMap.newKeySet();

  private record Key(String path, long stream, long source) {
    static Key of(GetSnapshotSplitRequest request) {
      return new Key(request.getBasePath(), request.getStreamIndex(), request.getSourceIndex());
    }
  }

  /** A loop that owns the state, and an executor of what blocks. */
  SnapshotHandouts(CommitLoop loop, Executor background) {
    this.loop = loop;
    this.background = background;
  }

  /** Forgets what it knows about the snapshot at {@code path}, which has ended. */
  void forget(String path) {
    untold.keySet().removeIf(key -> key.path().equals(path));
  }

  /** The next split of a source for the worker of a stream. */
  CompletableFuture<GetSnapshotSplitResponse> next(GetSnapshotSplitRequest request, Caller caller) {
    return answer(request, caller, (splits, recent) -> told(request, splits, recent));
  }

  /** The next splits of a source for the worker of a stream: those of one commit. */
  CompletableFuture<TakeSnapshotSplitsResponse> several(
      GetSnapshotSplitRequest request, Caller caller) {
    return answer(
        request,
        caller,
        (splits, recent) -> {
          GetSnapshotSplitResponse next = told(request, splits, recent);
          TakeSnapshotSplitsResponse.Builder response =
              TakeSnapshotSplitsResponse.newBuilder().setFirstLocalIndex(next.getLocalSplitIndex());
          while (!next.getEndOfSplits()) {
            response.addSplits(next.getSplit());
            if (splits.isEmpty()) {
              break;
            }
            next = told(request, splits, recent);
          }
          return response.build();
        });
  }

  /** The answer to a request, of the splits to tell of and those that were taken last. */
  private <R> CompletableFuture<R> answer(
      GetSnapshotSplitRequest request,
      Caller caller,
      BiFunction<ArrayDeque<GivenSplit>, List<GivenSplit>, R> answer) {
    Key key = Key.of(request);
    if (!busy.add(key)) {
      throw StatusException.of(
          StatusCode.UNAVAILABLE,
          "another request for a split of source %d of stream %d of the snapshot at %s is in"
              + " progress; try again",
          key.source(),
          key.stream(),
          key.path());
    }
    return loop.submit(
            (state, _) -> Decision.answer(SnapshotDecisions.recent(state, request, caller)))
        .thenComposeAsync(
            recent -> {
              ArrayDeque<GivenSplit> splits =
                  untold.computeIfAbsent(key, _ -> withoutFiles(key, recent));
              return splits.isEmpty()
                  ? loop.submit((state, _) -> SnapshotDecisions.take(state, request, caller))
                      .thenApplyAsync(
                          taken -> {
                            splits.addAll(taken);
                            return answer.apply(splits, recent);
                          },
                          background)
                  : CompletableFuture.completedFuture(answer.apply(splits, recent));
            },
            background)
        .whenComplete((_, failure) -> {
          if (failure != null) {
            var _ = untold.remove(key);
          }
          busy.remove(key);
        });
  }

  /** Those that have no file, from the first one on. */
  private static ArrayDeque<GivenSplit> withoutFiles(Key key, List<GivenSplit> recent) {
    SnapshotFolder folder = new SnapshotFolder(key.path());
    ArrayDeque<GivenSplit> found = new ArrayDeque<>();
    for (GivenSplit split : recent) {
      if (!found.isEmpty() || !folder.hasSplit(split.taken())) {
        found.add(split);
      }
    }
    return found;
  }

  private static GetSnapshotSplitResponse told(
      GetSnapshotSplitRequest request, ArrayDeque<GivenSplit> splits, List<GivenSplit> recent) {
    GetSnapshotSplitResponse.Builder response = GetSnapshotSplitResponse.newBuilder();
    @Nullable GivenSplit next = splits.peek();
    if (next == null) {
      long local = recent.isEmpty() ? 0 : recent.getLast().taken().getLocalIndex() + 1;
      return response.setEndOfSplits(true).setLocalSplitIndex(local).build();
    }
    response.setLocalSplitIndex(next.taken().getLocalIndex());
    if (next.taken().getRepetition() > request.getRepetitionIndex()) {
      return response.setEndOfSplits(true).build();
    }
    if (next.taken().getRepetition() < request.getRepetitionIndex()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "repetition %d of source %d of the snapshot at %s begins when repetition %d has come to"
              + " its end",
          request.getRepetitionIndex(),
          request.getSourceIndex(),
          request.getBasePath(),
          next.taken().getRepetition());
    }
    new SnapshotFolder(request.getBasePath()).writeSplit(next.taken(), next.value());
    var _ = splits.poll();
    return response.setSplit(next.value()).build();
  }
}

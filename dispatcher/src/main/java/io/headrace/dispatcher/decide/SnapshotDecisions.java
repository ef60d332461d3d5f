package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.DistributedSnapshot;
import io.headrace.dispatcher.state.DistributedSnapshot.Stream;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.data.GetSnapshotStreamsResponse;
import io.headrace.proto.data.SnapshotStreamInfo;
import io.headrace.proto.data.SnapshotTaskDef;
import io.headrace.proto.data.SnapshotTaskProgress;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SnapshotFailed;
import io.headrace.proto.headrace.journal.SnapshotSplitTaken;
import io.headrace.proto.headrace.journal.SnapshotStarted;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decisions on distributed snapshots. Each worker writes one stream of a snapshot, at most {@code
 * maxConcurrent} streams at a time. A stream stays its worker's, which goes on with it after a
 * restart at the same address. If a worker of Headrace is lost, another one goes on with its
 * stream; one of TensorFlow's can't, as nobody else reads its checkpoints. No stream begins once
 * another has come to its end.
 */
public final class SnapshotDecisions {
  /** The most snapshots that a dispatcher remembers; a path is never used twice. */
  private static final int MAX_SNAPSHOTS = 10_000;

  private static final int SHARES_OF_A_WORKER = 4;

  private final int maxConcurrent;

  public SnapshotDecisions(int maxConcurrent) {
    this.maxConcurrent = maxConcurrent;
  }

  /**
   * The consequences of a heartbeat.
   *
   * @param tasks the streams that the worker is to write
   * @param ended the snapshots that have come to their end, or are given up
   */
  public record Assignments(List<SnapshotTaskDef> tasks, Set<String> ended) {
    public Assignments {
      tasks = List.copyOf(tasks);
      ended = Set.copyOf(ended);
    }
  }

  /** A split that is a stream's own, and its value. */
  public record GivenSplit(SnapshotSplitTaken taken, TensorProto value) {}

  /** Refuses a path that was used before, with ALREADY_EXISTS. */
  public static void requireNew(DispatcherState state, String path) {
    if (state.snapshots().find(path).isPresent()) {
      throw StatusException.of(
          StatusCode.ALREADY_EXISTS,
          "tf.data snapshot at %s is already started or completed",
          path);
    }
    if (state.snapshots().size() >= MAX_SNAPSHOTS) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "this dispatcher has written %d snapshots, and remembers no more",
          MAX_SNAPSHOTS);
    }
  }

  /** Starts a snapshot, whose folder is there. */
  public static Decision<Boolean> start(DispatcherState state, SnapshotStarted start) {
    requireNew(state, start.getPath());
    return new Decision<>(List.of(JournalRecords.of(start)), true);
  }

  /**
   * A heartbeat of the worker at {@code address}, with the progress of its streams by path. Reports
   * of streams that are not its own are ignored.
   */
  public Decision<Assignments> heartbeat(
      DispatcherState state,
      LivenessView liveness,
      String address,
      Map<String, SnapshotTaskProgress> progress) {
    Optional<RegisteredWorker> worker =
        state.workers().find(address).filter(known -> !liveness.hasLeft(known));
    if (worker.isEmpty()) {
      return Decision.answer(new Assignments(List.of(), Set.of()));
    }
    List<JournalRecord> records = new ArrayList<>();
    List<SnapshotTaskDef> tasks = new ArrayList<>();
    Set<String> reported = new HashSet<>();
    Set<String> ended = new HashSet<>();
    for (DistributedSnapshot snapshot : state.snapshots().active()) {
      Optional<Stream> own = openStream(snapshot, worker.get());
      if (own.isPresent()) {
        @Nullable SnapshotTaskProgress report = progress.get(snapshot.path());
        int before = records.size();
        if (report != null && report.getSnapshotTask().getStreamIndex() == own.get().index()) {
          addEnd(snapshot, own.get(), report, records, ended);
        }
        if (records.size() > before) {
          reported.add(snapshot.path());
        } else {
          tasks.add(task(snapshot, own.get().index()));
        }
      }
    }
    if (tasks.size() < maxConcurrent) {
      addOne(state, liveness, worker.get(), reported, records, tasks);
    }
    return new Decision<>(records, new Assignments(tasks, ended));
  }

  /** Adds the stream that {@code worker} takes on, if there is one. */
  private static void addOne(
      DispatcherState state,
      LivenessView liveness,
      RegisteredWorker worker,
      Set<String> reported,
      List<JournalRecord> records,
      List<SnapshotTaskDef> tasks) {
    offer(state, liveness, worker, reported)
        .ifPresent(offer -> {
          records.add(
              JournalRecords.snapshotStreamAssigned(
                  offer.snapshot().path(), offer.stream(), worker.address(), !worker.isStock()));
          tasks.add(task(offer.snapshot(), offer.stream()));
        });
  }

  /** The live workers of Headrace that would take on a stream if they sent a heartbeat now. */
  public List<RegisteredWorker> takers(DispatcherState state, LivenessView liveness) {
    return state.workers().all().stream()
        .filter(worker -> !worker.isStock() && isLive(liveness, worker))
        .filter(worker -> !liveness.isUnheard(worker.address()))
        .filter(worker -> numOpen(state, worker) < maxConcurrent)
        .filter(worker -> offer(state, liveness, worker, Set.of()).isPresent())
        .toList();
  }

  private static long numOpen(DispatcherState state, RegisteredWorker worker) {
    return state.snapshots().active().stream()
        .filter(snapshot -> openStream(snapshot, worker).isPresent())
        .count();
  }

  private static boolean isLive(LivenessView liveness, RegisteredWorker worker) {
    return !liveness.isLost(worker.address()) && !liveness.hasLeft(worker);
  }

  /**
   * The stream that {@code worker} writes, which a stock worker at the address of one of ours does
   * not.
   */
  private static Optional<Stream> openStream(
      DistributedSnapshot snapshot, RegisteredWorker worker) {
    return snapshot
        .openStreamOf(worker.address())
        .filter(stream -> !(stream.isTransferable() && worker.isStock()));
  }

  /** A stream that a worker can take on: one that was left, or the next new one. */
  private record Offer(DistributedSnapshot snapshot, long stream) {}

  private static Optional<Offer> offer(
      DispatcherState state, LivenessView liveness, RegisteredWorker worker, Set<String> reported) {
    if (worker.draining()) {
      return Optional.empty();
    }
    List<DistributedSnapshot> candidates =
        state.snapshots().active().stream()
            .filter(snapshot -> !reported.contains(snapshot.path()))
            .filter(snapshot -> snapshot.openStreamOf(worker.address()).isEmpty())
            .filter(snapshot -> worker.missingOp(snapshot.opsInUse()).isEmpty())
            .toList();
    Optional<Offer> left =
        worker.isStock()
            ? Optional.empty()
            : candidates.stream()
                .flatMap(snapshot ->
                    snapshot.streams().stream()
                        .filter(stream -> isLeft(state, liveness, stream))
                        .map(stream -> new Offer(snapshot, stream.index())))
                .findFirst();
    return left.or(() ->
        candidates.stream()
            .filter(snapshot -> !snapshot.isWindingDown())
            .filter(snapshot -> !snapshot.hasStreamOf(worker.address()))
            .min(Comparator.comparingInt(snapshot -> snapshot.streams().size()))
            .map(snapshot -> new Offer(snapshot, snapshot.streams().size())));
  }

  /** Whether nobody writes {@code stream} any more, and another worker can go on with it. */
  private static boolean isLeft(DispatcherState state, LivenessView liveness, Stream stream) {
    return !stream.isDone()
        && stream.isTransferable()
        && state
            .workers()
            .find(stream.worker())
            .filter(worker -> !worker.isStock() && isLive(liveness, worker))
            .isEmpty();
  }

  /** Adds what the worker says about the end of its stream, if it has come to it. */
  private static void addEnd(
      DistributedSnapshot snapshot,
      Stream stream,
      SnapshotTaskProgress report,
      List<JournalRecord> records,
      Set<String> ended) {
    if (report.getStatus().getCodeValue() != StatusCode.OK.number()) {
      records.add(
          JournalRecords.of(
              SnapshotFailed.newBuilder()
                  .setPath(snapshot.path())
                  .setCode(report.getStatus().getCodeValue())
                  .setMessage(report.getStatus().getMessage())
                  .build()));
      ended.add(snapshot.path());
    } else if (report.getCompleted()) {
      records.add(JournalRecords.snapshotStreamDone(snapshot.path(), stream.index()));
      boolean isLast =
          snapshot.streams().stream().allMatch(other -> other == stream || other.isDone());
      if (isLast) {
        ended.add(snapshot.path());
      }
    }
  }

  private static SnapshotTaskDef task(DistributedSnapshot snapshot, long stream) {
    return SnapshotTaskDef.newBuilder()
        .setBasePath(snapshot.path())
        .setStreamIndex(stream)
        .setNumSources(snapshot.sources().size())
        .setMetadata(snapshot.metadata())
        .build();
  }

  /**
   * The last splits of a source that are a stream's own, for TensorFlow's GetSnapshotSplit. Its
   * worker may not have been told of all of them.
   */
  public static List<GivenSplit> recent(
      DispatcherState state, GetSnapshotSplitRequest request, Caller caller) {
    Part part = part(state, request, caller);
    SplitSource source = part.snapshot().sources().get(part.source());
    return part.stream().recent(part.source()).stream()
        .map(taken -> new GivenSplit(taken, SplitDecisions.value(source, taken.getSplit())))
        .toList();
  }

  /** The next splits of a source for a stream; none at the end of the repetition. */
  public static Decision<List<GivenSplit>> take(
      DispatcherState state, GetSnapshotSplitRequest request, Caller caller) {
    Part part = part(state, request, caller);
    DistributedSnapshot snapshot = part.snapshot();
    SplitSource source = snapshot.sources().get(part.source());
    long repetition = request.getRepetitionIndex();
    if (repetition < snapshot.repetition(part.source())) {
      return Decision.answer(List.of());
    }
    long first = snapshot.nextSplit(part.source(), repetition);
    long count = share(source.getCount() - first, state.workers().size());
    List<JournalRecord> records = new ArrayList<>();
    List<GivenSplit> given = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      SnapshotSplitTaken taken =
          SnapshotSplitTaken.newBuilder()
              .setPath(snapshot.path())
              .setStreamIndex(part.stream().index())
              .setSourceIndex(part.source())
              .setRepetition(repetition)
              .setSplit(first + i)
              .setLocalIndex(part.stream().numTaken(part.source()) + i)
              .setGlobalIndex(snapshot.numTaken() + i)
              .build();
      records.add(JournalRecords.of(taken));
      given.add(new GivenSplit(taken, SplitDecisions.value(source, first + i)));
    }
    return new Decision<>(records, given);
  }

  /** How many of {@code left} splits a stream takes at a time, which leaves some for others. */
  private static long share(long left, int workers) {
    long share = Math.max(1, left / Math.max(1, workers) / SHARES_OF_A_WORKER);
    return Math.min(left, Math.min(share, DistributedSnapshot.MAX_RECENT));
  }

  /** A source of a stream. */
  private record Part(DistributedSnapshot snapshot, Stream stream, int source) {}

  /** Refuses a request of another worker than the stream's, as TensorFlow does. */
  private static Part part(DispatcherState state, GetSnapshotSplitRequest request, Caller caller) {
    DistributedSnapshot snapshot = get(state, request.getBasePath());
    String worker = request.getWorkerAddress();
    Stream stream =
        snapshot
            .openStreamOf(worker)
            .filter(of -> of.index() == request.getStreamIndex())
            .filter(_ -> snapshot.isActive())
            .orElseThrow(() ->
                StatusException.of(
                    StatusCode.INTERNAL,
                    "worker %s writes stream %d of the snapshot at %s, but the assignment is no"
                        + " longer available.",
                    worker,
                    request.getStreamIndex(),
                    request.getBasePath()));
    if (state.workers().find(worker).filter(caller::isOf).isEmpty() && !caller.isInProcess()) {
      throw caller.refused("GetSnapshotSplit", worker);
    }
    return new Part(snapshot, stream, source(snapshot, request));
  }

  private static int source(DistributedSnapshot snapshot, GetSnapshotSplitRequest request) {
    long source = request.getSourceIndex();
    if (source < 0 || source >= snapshot.sources().size() || request.getRepetitionIndex() < 0) {
      throw StatusException.invalidArgument(
          "the snapshot at %s has the sources 0 to %d, and repetitions from 0 on; got source %d,"
              + " repetition %d",
          snapshot.path(), snapshot.sources().size() - 1, source, request.getRepetitionIndex());
    }
    return (int) source;
  }

  private static DistributedSnapshot get(DispatcherState state, String path) {
    return state
        .snapshots()
        .find(path)
        .orElseThrow(() ->
            StatusException.invalidArgument(
                "the dispatcher does not know of a snapshot at %s", path));
  }

  /** TensorFlow's GetSnapshotStreams. */
  public static GetSnapshotStreamsResponse streams(DispatcherState state, String path) {
    GetSnapshotStreamsResponse.Builder response = GetSnapshotStreamsResponse.newBuilder();
    for (Stream stream : get(state, path).streams()) {
      response.addStreams(
          SnapshotStreamInfo.newBuilder()
              .setIndex(stream.index())
              .setState(
                  stream.isDone()
                      ? SnapshotStreamInfo.State.DONE
                      : SnapshotStreamInfo.State.ASSIGNED));
    }
    return response.build();
  }
}

package io.headrace.dispatcher.state;

import io.headrace.proto.data.experimental.DistributedSnapshotMetadata;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.proto.headrace.journal.SnapshotFailed;
import io.headrace.proto.headrace.journal.SnapshotSplitTaken;
import io.headrace.proto.headrace.journal.SnapshotStarted;
import io.headrace.proto.headrace.journal.SnapshotStreamAssigned;
import io.headrace.proto.headrace.journal.SnapshotStreamDone;
import io.headrace.proto.headrace.journal.SplitSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A distributed snapshot: its streams, and how far its sources are handed out. Mutated by {@link
 * Snapshots} only.
 */
public final class DistributedSnapshot {
  /** The most splits of a source that a stream may own without having been told of them. */
  public static final int MAX_RECENT = 64;

  private final SnapshotStarted start;
  private final List<Stream> streams = new ArrayList<>();
  private final long[] repetitions;
  private final long[] nextSplits;
  private long numTaken;
  private Optional<SnapshotFailed> failure = Optional.empty();

  /** A part of a snapshot, which one worker writes at a time. */
  public static final class Stream {
    private final long index;
    private String worker;
    private boolean isTransferable;
    private final TreeMap<Long, ArrayDeque<SnapshotSplitTaken>> recent = new TreeMap<>();
    private boolean isDone;

    private Stream(SnapshotStreamAssigned change) {
      this.index = change.getStreamIndex();
      this.worker = change.getWorkerAddress();
      this.isTransferable = change.getTransferable();
    }

    public long index() {
      return index;
    }

    /** The address of the worker that writes it. */
    public String worker() {
      return worker;
    }

    /** Whether another worker could go on with it: its own is of Headrace. */
    public boolean isTransferable() {
      return isTransferable;
    }

    /** Whether it is written to its end. */
    public boolean isDone() {
      return isDone;
    }

    /** The last splits of {@code source} that are its own, {@link #MAX_RECENT} at most. */
    public List<SnapshotSplitTaken> recent(long source) {
      @Nullable ArrayDeque<SnapshotSplitTaken> taken = recent.get(source);
      return taken == null ? List.of() : List.copyOf(taken);
    }

    /** The number of splits of {@code source} that are its own. */
    public long numTaken(long source) {
      @Nullable ArrayDeque<SnapshotSplitTaken> taken = recent.get(source);
      return taken == null ? 0 : taken.getLast().getLocalIndex() + 1;
    }

    private void take(SnapshotSplitTaken split) {
      ArrayDeque<SnapshotSplitTaken> taken =
          recent.computeIfAbsent(split.getSourceIndex(), _ -> new ArrayDeque<>());
      taken.add(split);
      if (taken.size() > MAX_RECENT) {
        taken.removeFirst();
      }
    }
  }

  DistributedSnapshot(SnapshotStarted start) {
    this.start = start;
    repetitions = new long[start.getSourcesCount()];
    nextSplits = new long[start.getSourcesCount()];
  }

  /** The folder that it is written to. */
  public String path() {
    return start.getPath();
  }

  public DistributedSnapshotMetadata metadata() {
    return start.getMetadata();
  }

  public List<SplitSource> sources() {
    return start.getSourcesList();
  }

  public List<OpUse> opsInUse() {
    return start.getOpsInUseList();
  }

  public List<Stream> streams() {
    return Collections.unmodifiableList(streams);
  }

  /** The stream that the worker at {@code address} writes; it has one at the most. */
  public Optional<Stream> openStreamOf(String address) {
    return streams.stream()
        .filter(stream -> !stream.isDone && stream.worker.equals(address))
        .findFirst();
  }

  /** Whether the worker at {@code address} writes a stream, or has written one to its end. */
  public boolean hasStreamOf(String address) {
    return streams.stream().anyMatch(stream -> stream.worker.equals(address));
  }

  /** Why it was given up. */
  public Optional<SnapshotFailed> failure() {
    return failure;
  }

  /** Whether all of it is written. */
  public boolean isDone() {
    return !streams.isEmpty() && streams.stream().allMatch(Stream::isDone);
  }

  /** Whether it is still written. */
  public boolean isActive() {
    return failure.isEmpty() && !isDone();
  }

  /** Whether it takes no more streams: one has come to its end, so all splits are handed out. */
  public boolean isWindingDown() {
    return streams.stream().anyMatch(Stream::isDone);
  }

  /** The current repetition of {@code source}; earlier ones have no more splits. */
  public long repetition(int source) {
    return repetitions[source];
  }

  /** The next split of {@code repetition} of {@code source}, which is the current one or later. */
  public long nextSplit(int source, long repetition) {
    return repetition == repetitions[source] ? nextSplits[source] : 0;
  }

  /** The number of splits that all streams were given. */
  public long numTaken() {
    return numTaken;
  }

  private Stream stream(long index) {
    if (index < 0 || index >= streams.size()) {
      throw new IllegalStateException("the snapshot at " + path() + " has no stream " + index);
    }
    return streams.get((int) index);
  }

  void assign(SnapshotStreamAssigned change) {
    if (change.getStreamIndex() == streams.size()) {
      streams.add(new Stream(change));
    } else {
      Stream stream = stream(change.getStreamIndex());
      stream.worker = change.getWorkerAddress();
      stream.isTransferable = change.getTransferable();
    }
  }

  void take(SnapshotSplitTaken change) {
    int source = (int) change.getSourceIndex();
    if (source < 0 || source >= repetitions.length) {
      throw new IllegalStateException("the snapshot at " + path() + " has no source " + source);
    }
    stream(change.getStreamIndex()).take(change);
    numTaken = Math.max(numTaken, change.getGlobalIndex() + 1);
    boolean isAhead =
        change.getRepetition() > repetitions[source]
            || (change.getRepetition() == repetitions[source]
                && change.getSplit() >= nextSplits[source]);
    if (isAhead) {
      repetitions[source] = change.getRepetition();
      nextSplits[source] = change.getSplit() + 1;
    }
  }

  void finishStream(SnapshotStreamDone change) {
    stream(change.getStreamIndex()).isDone = true;
  }

  void fail(SnapshotFailed change) {
    failure = failure.or(() -> Optional.of(change));
  }

  /** Adds the records that restore it: of each stream and source, the last splits. */
  void snapshot(List<JournalRecord> records) {
    records.add(JournalRecord.newBuilder().setSnapshotStarted(start).build());
    for (Stream stream : streams) {
      records.add(
          JournalRecords.snapshotStreamAssigned(
              path(), stream.index, stream.worker, stream.isTransferable));
      stream
          .recent
          .values()
          .forEach(taken -> taken.forEach(split -> records.add(JournalRecords.of(split))));
      if (stream.isDone) {
        records.add(JournalRecords.snapshotStreamDone(path(), stream.index));
      }
    }
    failure.ifPresent(failed -> records.add(JournalRecords.of(failed)));
  }
}

package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SnapshotFailed;
import io.headrace.proto.headrace.journal.SnapshotSplitTaken;
import io.headrace.proto.headrace.journal.SnapshotStarted;
import io.headrace.proto.headrace.journal.SnapshotStreamAssigned;
import io.headrace.proto.headrace.journal.SnapshotStreamDone;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The distributed snapshots by path, one of the tables of {@link DispatcherState}. */
public final class Snapshots {
  private final Map<String, DistributedSnapshot> byPath = new LinkedHashMap<>();
  private final Map<String, DistributedSnapshot> active = new LinkedHashMap<>();

  public Optional<DistributedSnapshot> find(String path) {
    return Optional.ofNullable(byPath.get(path));
  }

  public Collection<DistributedSnapshot> all() {
    return Collections.unmodifiableCollection(byPath.values());
  }

  /** Those that are still written, in the order in which they were begun. */
  public Collection<DistributedSnapshot> active() {
    return Collections.unmodifiableCollection(active.values());
  }

  public int size() {
    return byPath.size();
  }

  private DistributedSnapshot get(String path) {
    @Nullable DistributedSnapshot snapshot = byPath.get(path);
    if (snapshot == null) {
      throw new IllegalStateException("there is no snapshot at " + path);
    }
    return snapshot;
  }

  void start(SnapshotStarted change) {
    DistributedSnapshot snapshot = new DistributedSnapshot(change);
    if (byPath.putIfAbsent(change.getPath(), snapshot) != null) {
      throw new IllegalStateException("there is a snapshot at " + change.getPath());
    }
    active.put(change.getPath(), snapshot);
  }

  void assign(SnapshotStreamAssigned change) {
    get(change.getPath()).assign(change);
  }

  void take(SnapshotSplitTaken change) {
    get(change.getPath()).take(change);
  }

  void finishStream(SnapshotStreamDone change) {
    DistributedSnapshot snapshot = get(change.getPath());
    snapshot.finishStream(change);
    if (!snapshot.isActive()) {
      active.remove(change.getPath());
    }
  }

  void fail(SnapshotFailed change) {
    get(change.getPath()).fail(change);
    active.remove(change.getPath());
  }

  void snapshot(List<JournalRecord> records) {
    byPath.values().forEach(snapshot -> snapshot.snapshot(records));
  }
}

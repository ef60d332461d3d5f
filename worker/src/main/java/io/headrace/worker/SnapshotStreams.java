package io.headrace.worker;

import io.headrace.proto.data.SnapshotTaskDef;
import io.headrace.proto.data.SnapshotTaskProgress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The streams of distributed snapshots that a worker writes, by path. Thread-safe. */
final class SnapshotStreams implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final SnapshotEnvironment environment;
  private final Map<String, SnapshotStream> byPath = new LinkedHashMap<>();
  private boolean isClosed;

  SnapshotStreams(SnapshotEnvironment environment) {
    this.environment = environment;
  }

  /** Writes the streams {@code tasks}, and no others. */
  synchronized void assign(List<SnapshotTaskDef> tasks) {
    if (isClosed) {
      return;
    }
    for (SnapshotStream stream : byPath.values()) {
      if (tasks.stream().noneMatch(stream::is)) {
        stream.cancel();
      }
    }
    // One that is cancelled must have ended before another writes the same files.
    byPath
        .values()
        .removeIf(stream ->
            stream.hasEnded() && (stream.hasStopped() || tasks.stream().noneMatch(stream::is)));
    for (SnapshotTaskDef task : tasks) {
      if (!byPath.containsKey(task.getBasePath())) {
        SnapshotStream stream = new SnapshotStream(task, environment);
        byPath.put(task.getBasePath(), stream);
        stream.start();
      }
    }
  }

  /** How far the streams are, by path. */
  synchronized Map<String, SnapshotTaskProgress> progress() {
    Map<String, SnapshotTaskProgress> progress = new HashMap<>();
    byPath.forEach((path, stream) -> progress.put(path, stream.progress()));
    return progress;
  }

  /** Stops writing, and waits for it a while; what is committed stays. */
  @Override
  public synchronized void close() {
    isClosed = true;
    byPath.values().forEach(SnapshotStream::cancel);
    byPath.values().forEach(stream -> stream.awaitEnd(CLOSE_TIMEOUT));
    byPath.clear();
  }
}

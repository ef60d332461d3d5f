package io.headrace.rpc;

import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.LostTask;
import io.headrace.proto.headrace.WatchIterationResponse;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Merges the incremental updates of a WatchIteration into the full state of an iteration. */
public final class IterationUpdates {
  private IterationUpdates() {}

  /**
   * The state after {@code change}, given the state {@code before}, which may be incremental
   * itself; the result is complete if {@code before} is. A change that is not incremental replaces
   * the state.
   */
  public static WatchIterationResponse merge(
      WatchIterationResponse before, WatchIterationResponse change) {
    if (!change.getChangesOnly()) {
      return change;
    }
    Set<Long> changedTasks = new HashSet<>();
    Set<String> changedWorkers = new HashSet<>();
    for (TaskInfo task : change.getTaskInfoList()) {
      changedTasks.add(task.getTaskId());
      changedWorkers.add(task.getWorkerAddress());
    }
    for (LostTask task : change.getLostTasksList()) {
      changedTasks.add(task.getTaskId());
      changedWorkers.add(task.getWorkerAddress());
    }
    WatchIterationResponse.Builder merged =
        change.toBuilder().setChangesOnly(before.getChangesOnly());
    merged.clearTaskInfo().addAllTaskInfo(tasks(before, change, changedTasks));
    merged.clearFinishedTaskIds();
    before.getFinishedTaskIdsList().stream()
        .filter(id -> !changedTasks.contains(id))
        .forEach(merged::addFinishedTaskIds);
    merged.addAllFinishedTaskIds(change.getFinishedTaskIdsList());
    before.getLostTasksList().stream()
        .filter(task -> !changedTasks.contains(task.getTaskId()))
        .forEach(merged::addLostTasks);
    Set<String> silent = new LinkedHashSet<>(before.getSilentWorkersList());
    silent.removeAll(changedWorkers);
    silent.addAll(change.getSilentWorkersList());
    merged.clearSilentWorkers().addAllSilentWorkers(silent);
    return merged.build();
  }

  /** The merged tasks; known tasks keep their order. */
  private static Iterable<TaskInfo> tasks(
      WatchIterationResponse before, WatchIterationResponse change, Set<Long> changed) {
    Map<Long, TaskInfo> tasks = new LinkedHashMap<>();
    before.getTaskInfoList().forEach(task -> tasks.put(task.getTaskId(), task));
    Set<Long> gone = new HashSet<>(changed);
    for (TaskInfo task : change.getTaskInfoList()) {
      tasks.put(task.getTaskId(), task);
      gone.remove(task.getTaskId());
    }
    tasks.keySet().removeAll(gone);
    return tasks.values();
  }
}

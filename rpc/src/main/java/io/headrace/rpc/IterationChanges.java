package io.headrace.rpc;

import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.LostTask;
import io.headrace.proto.headrace.WatchIterationResponse;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Adds what a watch tells of some of an iteration's tasks to what it told before. */
public final class IterationChanges {
  private IterationChanges() {}

  /**
   * How things stand after {@code change}, given how they stood {@code before}: as much of it as
   * that says. A change that says all takes its place.
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

  /** A task keeps its place among the others. */
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

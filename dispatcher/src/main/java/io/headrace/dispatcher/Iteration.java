package io.headrace.dispatcher;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One pass over a job's dataset. Changed by {@link Iterations} only; others read it.
 *
 * <p>It is finished when every task is at its end, one of them by itself: losses alone never finish
 * an iteration.
 */
final class Iteration {
  private final long id;
  private final Job job;
  private final long repetition;
  private final Map<Long, Task> tasks = new LinkedHashMap<>();
  private int numClients;
  private boolean finished;

  Iteration(long id, Job job, long repetition, boolean finished) {
    this.id = id;
    this.job = job;
    this.repetition = repetition;
    this.finished = finished;
  }

  long id() {
    return id;
  }

  Job job() {
    return job;
  }

  long repetition() {
    return repetition;
  }

  int numClients() {
    return numClients;
  }

  boolean isFinished() {
    return finished;
  }

  Collection<Task> tasks() {
    return Collections.unmodifiableCollection(tasks.values());
  }

  /** Whether {@code address} works on this pass or has done its part, loss aside. */
  boolean hasTaskOn(String address) {
    return tasks.values().stream()
        .anyMatch(task -> !task.isLost() && task.workerAddress().equals(address));
  }

  Task task(long taskId) {
    Task task = tasks.get(taskId);
    if (task == null) {
      throw new IllegalStateException("iteration " + id + " has no task " + taskId);
    }
    return task;
  }

  void put(Task task) {
    tasks.put(task.id(), task);
    finished =
        finished
            || (tasks.values().stream().noneMatch(Task::isActive)
                && tasks.values().stream().anyMatch(Task::isFinished));
  }

  void dropTasks() {
    tasks.clear();
  }

  void addClients(int more) {
    numClients += more;
  }
}

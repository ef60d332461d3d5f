package io.headrace.cluster.spec;

import static java.util.stream.Collectors.joining;

import io.headrace.proto.tensorflow.ClusterDef;
import io.headrace.proto.tensorflow.JobDef;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The jobs of a cluster, and the addresses of their tasks: {@code ps -> [ps0:2222], worker ->
 * [w0:2222, w1:2222]}. The task indices of a job may have gaps. Immutable.
 */
public final class ClusterSpec {
  private final Map<String, SortedMap<Integer, String>> jobs;

  private ClusterSpec(Map<String, SortedMap<Integer, String>> jobs) {
    this.jobs = jobs;
  }

  /** A cluster from lists of addresses; the index in the list is that of the task. */
  public static ClusterSpec of(Map<String, List<String>> addresses) {
    Map<String, SortedMap<Integer, String>> jobs = new LinkedHashMap<>();
    addresses.forEach((job, list) -> {
      SortedMap<Integer, String> tasks = new TreeMap<>();
      list.forEach(address -> tasks.put(tasks.size(), address));
      jobs.put(job, tasks);
    });
    return new ClusterSpec(jobs);
  }

  /** A cluster from maps of task indices to addresses; indices may have gaps. */
  public static ClusterSpec ofSparse(Map<String, Map<Integer, String>> addresses) {
    Map<String, SortedMap<Integer, String>> jobs = new LinkedHashMap<>();
    addresses.forEach((job, tasks) -> jobs.put(job, checked(job, tasks)));
    return new ClusterSpec(jobs);
  }

  /**
   * A cluster from TensorFlow's message.
   *
   * @throws StatusException INVALID_ARGUMENT if a job occurs twice
   */
  public static ClusterSpec of(ClusterDef cluster) {
    Map<String, SortedMap<Integer, String>> jobs = new LinkedHashMap<>();
    for (JobDef job : cluster.getJobList()) {
      if (jobs.put(job.getName(), checked(job.getName(), job.getTasksMap())) != null) {
        throw StatusException.invalidArgument(
            "Duplicate job ID in cluster specification: %s", job.getName());
      }
    }
    return new ClusterSpec(jobs);
  }

  /** {@code other} itself, as it is immutable. */
  public static ClusterSpec of(ClusterSpec other) {
    return other;
  }

  /** A cluster without jobs. */
  public static ClusterSpec empty() {
    return new ClusterSpec(Map.of());
  }

  private static SortedMap<Integer, String> checked(String job, Map<Integer, String> tasks) {
    SortedMap<Integer, String> sorted = new TreeMap<>(tasks);
    if (!sorted.isEmpty() && sorted.firstKey() < 0) {
      throw StatusException.invalidArgument(
          "job %s has a task with index %d; indices begin with 0", job, sorted.firstKey());
    }
    return sorted;
  }

  /** The names of the jobs. */
  public List<String> jobs() {
    return List.copyOf(jobs.keySet());
  }

  /** Whether there are no jobs. */
  public boolean isEmpty() {
    return jobs.isEmpty();
  }

  /** The number of tasks of {@code job}; INVALID_ARGUMENT if there is no such job. */
  public int numTasks(String job) {
    return tasks(job).size();
  }

  /** The indices of the tasks of {@code job}, ascending. */
  public List<Integer> taskIndices(String job) {
    return List.copyOf(tasks(job).keySet());
  }

  /** The address of a task; INVALID_ARGUMENT if there is no such job or task. */
  public String taskAddress(String job, int index) {
    String address = tasks(job).get(index);
    if (address == null) {
      throw StatusException.invalidArgument("No task with index %d in job '%s'", index, job);
    }
    return address;
  }

  /** Whether the cluster has this task. */
  public boolean hasTask(String job, int index) {
    return jobs.containsKey(job) && tasks(job).containsKey(index);
  }

  /** The addresses of the tasks of {@code job} by index; empty at indices without a task. */
  public List<Optional<String>> jobTasks(String job) {
    SortedMap<Integer, String> tasks = tasks(job);
    int length = tasks.isEmpty() ? 0 : tasks.lastKey() + 1;
    List<Optional<String>> result = new ArrayList<>(Collections.nCopies(length, Optional.empty()));
    tasks.forEach((index, address) -> result.set(index, Optional.of(address)));
    return result;
  }

  private SortedMap<Integer, String> tasks(String job) {
    SortedMap<Integer, String> tasks = jobs.get(job);
    if (tasks == null) {
      throw StatusException.invalidArgument("No such job in cluster: '%s'", job);
    }
    return tasks;
  }

  /** The addresses by job and index. */
  public Map<String, Map<Integer, String>> asMap() {
    Map<String, Map<Integer, String>> result = new LinkedHashMap<>();
    jobs.forEach((job, tasks) -> result.put(job, Collections.unmodifiableSortedMap(tasks)));
    return Collections.unmodifiableMap(result);
  }

  /** TensorFlow's message, with the jobs sorted by name. */
  public ClusterDef asClusterDef() {
    ClusterDef.Builder cluster = ClusterDef.newBuilder();
    new TreeMap<>(jobs)
        .forEach((job, tasks) -> cluster.addJobBuilder().setName(job).putAllTasks(tasks));
    return cluster.build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterSpec that && jobs.equals(that.jobs);
  }

  @Override
  public int hashCode() {
    return jobs.hashCode();
  }

  /** TensorFlow's form: {@code ClusterSpec({'ps': ['ps0:1111'], ...})}, sorted by job. */
  @Override
  public String toString() {
    return new TreeMap<>(jobs)
        .entrySet().stream()
            .map(e -> "'" + e.getKey() + "': " + text(e.getValue()))
            .collect(joining(", ", "ClusterSpec({", "})"));
  }

  private static String text(SortedMap<Integer, String> tasks) {
    if (tasks.isEmpty()) {
      return "{}";
    }
    boolean isDense = tasks.lastKey() == tasks.size() - 1;
    return isDense
        ? tasks.values().stream().map(a -> "'" + a + "'").collect(joining(", ", "[", "]"))
        : tasks.entrySet().stream()
            .map(e -> e.getKey() + ": '" + e.getValue() + "'")
            .collect(joining(", ", "{", "}"));
  }
}

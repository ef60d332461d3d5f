package io.headrace.examples;

import static java.util.stream.Collectors.joining;

import io.headrace.cluster.Server;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.rpc.FreePort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Every task of a local cluster, as processes or in this process. Closing it stops them. */
final class LocalTaskCluster implements AutoCloseable {
  /** A started server or process; {@code close} does not throw. */
  private interface Running extends AutoCloseable {
    @Override
    void close();
  }

  private final ClusterSpec cluster;
  private final Map<String, List<String>> targets = new HashMap<>();
  private final List<Running> running = new ArrayList<>();

  private LocalTaskCluster(ClusterSpec cluster) {
    this.cluster = cluster;
  }

  /** A local cluster with the given number of tasks per job, at free ports. */
  static ClusterSpec cluster(Map<String, Integer> tasksByJob) {
    SplittableRandom random = new SplittableRandom();
    Map<String, List<String>> addresses = new TreeMap<>();
    List<Integer> taken = new ArrayList<>();
    tasksByJob.forEach((job, tasks) -> {
      List<String> ofJob = new ArrayList<>();
      while (ofJob.size() < tasks) {
        int port = FreePort.find(random);
        if (!taken.contains(port)) {
          taken.add(port);
          ofJob.add("localhost:" + port);
        }
      }
      addresses.put(job, ofJob);
    });
    return ClusterSpec.of(addresses);
  }

  /** Starts the tasks in this process. */
  static LocalTaskCluster startHere(ClusterSpec cluster) {
    LocalTaskCluster tasks = new LocalTaskCluster(cluster);
    try {
      for (String job : cluster.jobs()) {
        for (int index : cluster.taskIndices(job)) {
          Server server = Server.start(cluster, job, index);
          tasks.running.add(server::close);
          tasks.add(job, server.target());
        }
      }
      return tasks;
    } catch (RuntimeException e) {
      tasks.close();
      throw e;
    }
  }

  /**
   * Starts a process for each task, and waits until all serve.
   *
   * @param command the command line of {@code headrace}, without its arguments
   */
  static LocalTaskCluster startProcesses(List<String> command, ClusterSpec cluster) {
    LocalTaskCluster tasks = new LocalTaskCluster(cluster);
    ServerProcesses processes = new ServerProcesses(command);
    tasks.running.add(processes::close);
    try {
      List<CompletableFuture<String>> starting = new ArrayList<>();
      List<String> jobs = new ArrayList<>();
      for (String job : cluster.jobs()) {
        for (int index : cluster.taskIndices(job)) {
          jobs.add(job);
          starting.add(
              processes.start(
                  List.of(
                      "server",
                      "--cluster=" + json(cluster),
                      "--job-name=" + job,
                      "--task-index=" + index)));
        }
      }
      List<String> targets = ServerProcesses.await(starting);
      for (int i = 0; i < targets.size(); i++) {
        tasks.add(jobs.get(i), targets.get(i));
      }
      return tasks;
    } catch (RuntimeException e) {
      tasks.close();
      throw e;
    }
  }

  private void add(String job, String target) {
    targets.computeIfAbsent(job, _ -> new ArrayList<>()).add(target);
  }

  private static String json(ClusterSpec cluster) {
    return cluster.asMap().entrySet().stream()
        .map(job -> quoted(job.getKey()) + ": " + json(job.getValue()))
        .collect(joining(", ", "{", "}"));
  }

  private static String json(Map<Integer, String> tasks) {
    return tasks.entrySet().stream()
        .map(task -> quoted(task.getKey().toString()) + ": " + quoted(task.getValue()))
        .collect(joining(", ", "{", "}"));
  }

  private static String quoted(String word) {
    return '"' + word + '"';
  }

  /** The addresses of all tasks. */
  ClusterSpec cluster() {
    return cluster;
  }

  /** The targets of the tasks of {@code job}. */
  List<String> targets(String job) {
    return List.copyOf(targets.getOrDefault(job, List.of()));
  }

  /** Stops every task, the last one first. Idempotent. */
  @Override
  public void close() {
    running.reversed().forEach(Running::close);
    running.clear();
  }
}

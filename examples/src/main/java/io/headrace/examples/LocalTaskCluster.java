package io.headrace.examples;

import static java.util.stream.Collectors.joining;

import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.cluster.spec.ServerDefs.Overrides;
import io.headrace.rpc.FreePort;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Every task of a local cluster, as processes or in this process. Closing it stops them. */
final class LocalTaskCluster implements AutoCloseable {
  private static final String WORKER = "worker";

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

  /** Starts the tasks in this process, those of job worker with {@code gpus}. */
  static LocalTaskCluster startHere(ClusterSpec cluster, WorkerGpus gpus) {
    LocalTaskCluster tasks = new LocalTaskCluster(cluster);
    try {
      for (String job : cluster.jobs()) {
        for (int index : cluster.taskIndices(job)) {
          Server server = server(cluster, job, index, gpu(gpus, job, index), gpus);
          tasks.running.add(server::close);
          server.start();
          tasks.add(job, server.target());
        }
      }
      return tasks;
    } catch (RuntimeException e) {
      tasks.close();
      throw e;
    }
  }

  /** The GPU of a task: only those of job worker have one. */
  private static Optional<String> gpu(WorkerGpus gpus, String job, int index) {
    return job.equals(WORKER) ? gpus.name(index) : Optional.empty();
  }

  private static Server server(
      ClusterSpec cluster, String job, int index, Optional<String> gpu, WorkerGpus gpus) {
    Overrides task = Overrides.task(job, index);
    return gpu.map(name ->
            new Server(
                ServerDefs.of(cluster, task.withConfig(WorkerGpus.SHARED)),
                ServerHost.ofProcess()
                    .withAccelerators(sessions -> gpus.opener().apply(name, sessions))))
        .orElseGet(() -> Server.create(cluster, task));
  }

  /**
   * Starts a process for each task, those of job worker with {@code gpus}, and waits until all
   * serve.
   *
   * @param command the command line of {@code headrace}, without its arguments
   * @throws StatusException UNAVAILABLE if a server does not start; it has told the reason on
   *     standard error
   */
  static LocalTaskCluster startProcesses(List<String> command, ClusterSpec cluster, WorkerGpus gpus)
      throws IOException {
    try (TemporaryFolder folder = TemporaryFolder.create("headrace-cluster")) {
      Path config = Files.write(folder.path().resolve("config"), WorkerGpus.SHARED.toByteArray());
      return startProcesses(command, cluster, gpus, config);
    }
  }

  private static LocalTaskCluster startProcesses(
      List<String> command, ClusterSpec cluster, WorkerGpus gpus, Path config) {
    LocalTaskCluster tasks = new LocalTaskCluster(cluster);
    ServerProcesses processes = new ServerProcesses(command);
    tasks.running.add(processes::close);
    try {
      List<CompletableFuture<String>> starting = new ArrayList<>();
      List<String> jobs = new ArrayList<>();
      for (String job : cluster.jobs()) {
        for (int index : cluster.taskIndices(job)) {
          jobs.add(job);
          List<String> arguments = new ArrayList<>();
          arguments.add("server");
          arguments.add("--cluster=" + json(cluster));
          arguments.add("--job-name=" + job);
          arguments.add("--task-index=" + index);
          gpu(gpus, job, index)
              .ifPresent(
                  name -> arguments.addAll(List.of("--devices=" + name, "--config=@" + config)));
          starting.add(processes.start(arguments));
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

package io.headrace.interop;

import io.headrace.rpc.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The servers of one test class, stock's and Headrace's, each a process.
 *
 * <p>Addresses are HOST:PORT. Closing kills all servers, the last one first.
 */
final class Servers implements AutoCloseable {
  private final Deque<ManagedProcess> processes = new ArrayDeque<>();
  private final Map<String, String> environment;

  Servers() {
    this(Map.of());
  }

  /** Servers of which each has {@code environment}, beside what stock TensorFlow needs. */
  Servers(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(StockTensorFlow.ENVIRONMENT);
    all.putAll(environment);
    this.environment = Map.copyOf(all);
  }

  /**
   * Without arguments on a free port and for any workers, otherwise as documented in the script.
   */
  String startStockDispatcher(String... arguments) throws InterruptedException {
    return start("stock-dispatcher", StockTensorFlow.command("stock_dispatcher.py", arguments));
  }

  String startStockWorker(String dispatcher) throws InterruptedException {
    return start("stock-worker", StockTensorFlow.command("stock_worker.py", dispatcher));
  }

  /** A worker at {@code port}, or any free one if that is 0. */
  String startStockWorker(String dispatcher, int port, long cacheBytes)
      throws InterruptedException {
    return start(
        "stock-worker",
        StockTensorFlow.command(
            "stock_worker.py", dispatcher, Integer.toString(port), Long.toString(cacheBytes)));
  }

  String startHeadraceDispatcher(String... flags) throws InterruptedException {
    return start("headrace-dispatcher", HeadraceLauncher.command("dispatcher", flags));
  }

  String startHeadraceWorker(String dispatcher, String... flags) throws InterruptedException {
    String[] all = Arrays.copyOf(flags, flags.length + 1);
    all[flags.length] = "--dispatcher-address=" + dispatcher;
    return start("headrace-worker", HeadraceLauncher.command("worker", all));
  }

  /** A task of a cluster; without flags, the only task of its own. */
  String startHeadraceServer(String... flags) throws InterruptedException {
    return start("headrace-server", HeadraceLauncher.command("server", flags));
  }

  /** The first task of a job of {@code cluster}, given as JSON. */
  String startHeadraceTask(String cluster, String job) throws InterruptedException {
    return startHeadraceTask(cluster, job, 0);
  }

  /** A task of a job of {@code cluster}, given as JSON. */
  String startHeadraceTask(String cluster, String job, int index) throws InterruptedException {
    return startHeadraceServer(
        "--cluster=" + cluster, "--job-name=" + job, "--task-index=" + index);
  }

  /** The first task of a job of {@code cluster}, as a stock server. */
  String startStockTask(String cluster, String job) throws InterruptedException {
    return startStockTask(cluster, job, 0);
  }

  /** A task of a job of {@code cluster}, as a stock server. */
  String startStockTask(String cluster, String job, int index) throws InterruptedException {
    String task = String.valueOf(index);
    return startStockTask(StockTensorFlow.command("stock_task.py", cluster, job, task));
  }

  /** The first task of a job of {@code cluster}, with two CPU devices, stock or ours. */
  String startTaskOfTwoCpus(String cluster, String job, boolean isStock)
      throws InterruptedException {
    if (isStock) {
      return startStockTask(StockTensorFlow.command("stock_task.py", cluster, job, "0", "2"));
    }
    Path config = TestPaths.output("two-cpus").resolve("config.json");
    try {
      var _ = Files.writeString(config, "{\"device_count\": {\"CPU\": 2}}");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return startHeadraceServer(
        "--cluster=" + cluster, "--job-name=" + job, "--task-index=0", "--config=@" + config);
  }

  /** Every task of {@code cluster}, given as JSON, in one stock process. */
  void startStockCluster(String cluster) throws InterruptedException {
    var _ = start("stock-cluster", StockTensorFlow.command("stock_cluster.py", cluster));
  }

  /** A slow stock client that reads range({@code n}) and counts its elements. */
  ManagedProcess startCounting(String dispatcher, int n) {
    return startCounting(dispatcher, n, "parallel_epochs");
  }

  /** A slow stock client in the processing mode {@code mode}. */
  ManagedProcess startCounting(String dispatcher, int n, String mode) {
    String target = "grpc://" + dispatcher;
    return launch("count", StockTensorFlow.command("count.py", target, Integer.toString(n), mode));
  }

  /** Stock consumers that read in step until {@code event}, which the script describes. */
  ManagedProcess startConsumers(String dispatcher, int consumers, String event) {
    String target = "grpc://" + dispatcher;
    String number = Integer.toString(consumers);
    return launch("consumers", StockTensorFlow.command("consumers.py", target, number, event));
  }

  /** Two stock trainers of one cached job, in a mode that the script describes. */
  ManagedProcess startTrainers(String dispatcher, String mode) {
    return launch("trainers", StockTensorFlow.command("trainers.py", "grpc://" + dispatcher, mode));
  }

  /**
   * A stock trainer that starts a worker in its own process.
   *
   * @param tag the tag of the worker of another process; empty for none
   */
  ManagedProcess startTrainerWithWorker(String dispatcher, String tag) {
    return launch("own-worker", StockTensorFlow.command("own_worker.py", dispatcher, tag));
  }

  /** A stock client of a dispatcher with two listed workers, which divide its datasets. */
  ManagedProcess startSharding(String dispatcher) {
    String files = TestPaths.output("sharded-files").toString();
    String target = "grpc://" + dispatcher;
    return launch("fixed-workers", StockTensorFlow.command("fixed_workers.py", target, files));
  }

  /** A peer that sends malformed requests to both servers. */
  ManagedProcess startHostile(String dispatcher, String worker) {
    return launch("hostile", StockTensorFlow.command("hostile.py", dispatcher, worker));
  }

  /** The process id of the server started last; the launcher execs the server. */
  long lastPid() {
    return processes.getLast().pid();
  }

  /** Kills the server started last with SIGKILL. */
  void killLast() {
    processes.removeLast().close();
  }

  /** Stops the server started last with SIGTERM; returns its exit status. */
  int stopLast() throws InterruptedException {
    return processes.removeLast().stop();
  }

  @Override
  public void close() {
    while (!processes.isEmpty()) {
      processes.removeLast().close();
    }
  }

  private String startStockTask(List<String> command) throws InterruptedException {
    Map<String, String> all = new HashMap<>(environment);
    // The default depends on the processor, and with it which ops a stock master fuses.
    all.put("TF_ENABLE_ONEDNN_OPTS", "1");
    return launch("stock-task", command, all).awaitReady();
  }

  private String start(String name, List<String> command) throws InterruptedException {
    return launch(name, command).awaitReady();
  }

  private ManagedProcess launch(String name, List<String> command) {
    return launch(name, command, environment);
  }

  private ManagedProcess launch(
      String name, List<String> command, Map<String, String> environment) {
    var process = ManagedProcess.start(name, command, environment);
    processes.addLast(process);
    return process;
  }

  /** A free address of this host: tasks of a cluster must know each other's in advance. */
  static String freeAddress() {
    return "localhost:" + FreePort.find(new Random());
  }
}

package io.headrace.cli.drill;

import io.headrace.rpc.FreePort;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A dispatcher with a work_dir and its workers, each a process, and the operations of drills on
 * them. Restarted processes keep their ports. {@link #close} kills all processes and may be called
 * from any thread; everything else is confined to one thread.
 */
final class DrillCluster implements AutoCloseable {
  /** The dispatcher's name, and that of its log. */
  static final String DISPATCHER = "dispatcher";

  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  /**
   * The layout of a cluster.
   *
   * @param program the command line of {@code headrace}, without its arguments
   * @param folder the folder of the processes' logs
   * @param workDir the dispatcher's work_dir
   * @param workers the number of workers
   */
  record Plan(List<String> program, Path folder, Path workDir, int workers) {}

  private final Plan plan;
  private final SplittableRandom random = new SplittableRandom();
  private final List<DrillProcess> started = new ArrayList<>();
  private final List<DrillProcess> workers = new ArrayList<>();
  private final int[] workerPorts;
  private int dispatcherPort;
  private @Nullable DrillProcess dispatcher;
  private volatile @Nullable TcpProxy dispatcherProxy;
  private final List<TcpProxy> workerProxies = new CopyOnWriteArrayList<>();
  private boolean closed;

  private DrillCluster(Plan plan) {
    this.plan = plan;
    this.workerPorts = new int[plan.workers()];
  }

  /** A cluster that is not started yet. */
  static DrillCluster of(Plan plan) {
    return new DrillCluster(plan);
  }

  /** Starts all processes and waits until they serve. */
  void start() throws IOException, InterruptedException {
    dispatcherPort = FreePort.find(random);
    startDispatcher();
    dispatcherProxy = TcpProxy.open(new InetSocketAddress("localhost", dispatcherPort));
    for (int worker = 0; worker < plan.workers(); worker++) {
      workerPorts[worker] = FreePort.find(random);
      workerProxies.add(TcpProxy.open(new InetSocketAddress("localhost", workerPorts[worker])));
      workers.add(launchWorker(worker));
    }
    for (DrillProcess worker : workers) {
      worker.awaitReady();
    }
  }

  /** The dispatcher's address for readers and workers: a proxy that can be cut. */
  String address() {
    return "localhost:" + dispatcherProxy().port();
  }

  int workerCount() {
    return plan.workers();
  }

  Path workDir() {
    return plan.workDir();
  }

  /** Partitions the dispatcher from all other processes, in both directions. */
  void cutOffDispatcher() {
    dispatcherProxy().cut();
    workerProxies.forEach(TcpProxy::cut);
  }

  /** Ends the partition. */
  void healNetwork() {
    workerProxies.forEach(TcpProxy::heal);
    dispatcherProxy().heal();
  }

  private TcpProxy dispatcherProxy() {
    TcpProxy open = dispatcherProxy;
    if (open == null) {
      throw new IllegalStateException("the cluster was not started");
    }
    return open;
  }

  DrillProcess dispatcher() {
    DrillProcess running = dispatcher;
    if (running == null) {
      throw new IllegalStateException("the cluster was not started");
    }
    return running;
  }

  DrillProcess worker(int worker) {
    return workers.get(worker);
  }

  /** Starts or restarts the dispatcher on its work_dir, and waits until it serves. */
  void startDispatcher() throws IOException, InterruptedException {
    DrillProcess process = launchDispatcher(DISPATCHER, dispatcherPort);
    dispatcher = process;
    process.awaitReady();
  }

  /** Starts another dispatcher on the same work_dir, at another port. */
  DrillProcess startSecondDispatcher() throws IOException {
    return launchDispatcher("second-dispatcher", 0);
  }

  private DrillProcess launchDispatcher(String name, int port) throws IOException {
    return launch(
        name,
        "dispatcher",
        "--port=" + port,
        "--work-dir=" + plan.workDir(),
        "--fault-tolerant-mode");
  }

  /** Restarts a worker, and waits until it serves. */
  void startWorker(int worker) throws IOException, InterruptedException {
    DrillProcess process = launchWorker(worker);
    workers.set(worker, process);
    process.awaitReady();
  }

  /**
   * The dispatcher reaches the worker through a proxy that can be cut; readers reach it directly.
   */
  private DrillProcess launchWorker(int worker) throws IOException {
    return launch(
        "worker-" + (worker + 1),
        "worker",
        "--port=" + workerPorts[worker],
        "--worker-address=localhost:" + workerProxies.get(worker).port(),
        "--data-transfer-address=localhost:" + workerPorts[worker],
        "--dispatcher-address=" + address());
  }

  /** Sends SIGKILL to the dispatcher and all workers, and waits for their ends. */
  void killAll() throws InterruptedException {
    dispatcher().destroy();
    workers.forEach(DrillProcess::destroy);
    dispatcher().kill();
    for (DrillProcess worker : workers) {
      worker.kill();
    }
  }

  /** Stops a process in order, as for an upgrade; returns its exit status. */
  int stop(DrillProcess process) throws InterruptedException {
    process.signal("TERM");
    return process.awaitExit(STOP_LIMIT);
  }

  private DrillProcess launch(String name, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(plan.program());
    command.addAll(Arrays.asList(arguments));
    synchronized (started) {
      if (closed) {
        throw new StatusException(StatusCode.CANCELLED, "the drill was ended");
      }
      DrillProcess process =
          DrillProcess.start(name, command, plan.folder().resolve(name + ".log"));
      started.add(process);
      return process;
    }
  }

  /** Kills every process, including suspended ones, and waits for their ends. */
  @Override
  public void close() {
    synchronized (started) {
      closed = true;
      started.forEach(DrillProcess::destroy);
      started.forEach(DrillProcess::awaitDestroyed);
    }
    TcpProxy open = dispatcherProxy;
    if (open != null) {
      open.close();
    }
    workerProxies.forEach(TcpProxy::close);
  }
}

package io.headrace.cli.drill;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The faults of drills on their own cluster, each with its repair. */
final class Faults {
  private static final Duration REFUSAL_LIMIT = Duration.ofSeconds(60);
  private static final int REFUSED = 2;

  private final DrillCluster cluster;
  private final Optional<FullDisk> disk;
  private final DrillProgress stage;

  Faults(DrillCluster cluster, Optional<FullDisk> disk, DrillProgress stage) {
    this.cluster = cluster;
    this.disk = disk;
    this.stage = stage;
  }

  int workers() {
    return cluster.workerCount();
  }

  void killDispatcher(double downSeconds) throws IOException, InterruptedException {
    stage.fault("kill -9 of the dispatcher, " + process(cluster.dispatcher()));
    cluster.dispatcher().kill();
    stage.hold(downSeconds);
    startDispatcher();
  }

  void restartDispatcher() throws IOException, InterruptedException {
    stage.fault("SIGTERM to the dispatcher, " + process(cluster.dispatcher()));
    stopInOrder(cluster.dispatcher());
    startDispatcher();
  }

  private void startDispatcher() throws IOException, InterruptedException {
    cluster.startDispatcher();
    stage.step("the dispatcher serves again, " + process(cluster.dispatcher()));
  }

  void killWorker(int worker, double downSeconds) throws IOException, InterruptedException {
    stage.fault("kill -9 of " + name(worker));
    cluster.worker(worker).kill();
    stage.hold(downSeconds);
    startWorker(worker);
  }

  void killAll(double downSeconds) throws IOException, InterruptedException {
    stage.fault("kill -9 of the dispatcher and all workers");
    cluster.killAll();
    stage.hold(downSeconds);
    startDispatcher();
    for (int worker = 0; worker < cluster.workerCount(); worker++) {
      startWorker(worker);
    }
  }

  void restartWorker(int worker, double downSeconds) throws IOException, InterruptedException {
    stage.fault("SIGTERM to " + name(worker));
    stopInOrder(cluster.worker(worker));
    stage.hold(downSeconds);
    startWorker(worker);
  }

  private void startWorker(int worker) throws IOException, InterruptedException {
    cluster.startWorker(worker);
    stage.step(name(worker) + " serves again");
  }

  private void stopInOrder(DrillProcess process) throws InterruptedException {
    int status = cluster.stop(process);
    if (status != 0) {
      stage.breach("the " + process.name() + " ended with status " + status + " on SIGTERM");
    }
  }

  void hangWorker(int worker, double seconds) throws InterruptedException {
    stage.fault("SIGSTOP to " + name(worker));
    cluster.worker(worker).signal("STOP");
    stage.hold(seconds);
    cluster.worker(worker).signal("CONT");
    stage.step("SIGCONT to " + name(worker));
  }

  void cutNetwork(double seconds) throws InterruptedException {
    stage.fault("the network is cut between the dispatcher and all others");
    cluster.cutOffDispatcher();
    stage.hold(seconds);
    cluster.healNetwork();
    stage.step("the network is healed");
  }

  void startSecondDispatcher() throws IOException, InterruptedException {
    stage.fault("a second dispatcher is started on the work_dir");
    DrillProcess second = cluster.startSecondDispatcher();
    if (!endsSoon(second)) {
      second.kill();
      stage.breach("the second dispatcher was not refused");
    } else if (second.awaitExit(Duration.ZERO) != REFUSED) {
      stage.breach(
          "the second dispatcher was not refused with status 2, but ended with status "
              + second.awaitExit(Duration.ZERO));
    } else {
      stage.step("it was refused: " + second.lastLogged());
    }
    if (!cluster.dispatcher().isAlive()) {
      stage.breach("the first dispatcher has ended: " + cluster.dispatcher().lastLogged());
    }
  }

  private static boolean endsSoon(DrillProcess process) throws InterruptedException {
    try {
      process.awaitExit(REFUSAL_LIMIT);
      return true;
    } catch (StatusException e) {
      if (e.code() == StatusCode.DEADLINE_EXCEEDED) {
        return false;
      }
      throw e;
    }
  }

  void fillDisk(double seconds) throws IOException, InterruptedException {
    FullDisk full = disk.orElseThrow();
    stage.fault("the dispatcher's disk is full: " + full.what());
    full.fill(cluster.dispatcher());
    long stored = DiskFiller.run("grpc://" + cluster.address());
    stage.step("the dispatcher took " + stored + " bytes more, and now nothing");
    stage.hold(seconds);
    full.makeRoom(cluster.dispatcher());
    stage.step("there is room again");
    if (!cluster.dispatcher().isAlive()) {
      stage.breach("the dispatcher has ended: " + cluster.dispatcher().lastLogged());
    }
  }

  private String name(int worker) {
    return "worker " + (worker + 1) + ", " + process(cluster.worker(worker));
  }

  private static String process(DrillProcess process) {
    return "process " + process.pid();
  }
}

package io.headrace.cli.drill;

import com.google.errorprone.annotations.Immutable;
import java.io.IOException;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The drills that run on their own cluster. */
public enum Scenario {
  /** The dispatcher is killed and restarted. */
  DISPATCHER_RESTART(
      8,
      1,
      (stage, faults, seconds, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        faults.killDispatcher(seconds);
      }),
  /** A worker is killed and restarted. */
  WORKER_KILL(
      8,
      1,
      (stage, faults, seconds, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        faults.killWorker(0, seconds);
      }),
  /** A worker is suspended until it is given up, and resumed. */
  WORKER_HANG(
      30,
      12,
      (stage, faults, seconds, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        faults.hangWorker(0, seconds);
      }),
  /** The dispatcher is partitioned from the other processes for a while. */
  DISPATCHER_PARTITION(
      12,
      5,
      (stage, faults, seconds, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        faults.cutNetwork(seconds);
      }),
  /** A second dispatcher is started on the first one's work_dir. */
  SPLIT_BRAIN(
      8,
      0,
      (stage, faults, _, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        faults.startSecondDispatcher();
      }),
  /** The dispatcher's disk is full for a while. */
  DISK_FULL(
      12,
      4,
      (stage, faults, seconds, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        faults.fillDisk(seconds);
      }),
  /** An upgrade: the processes are stopped in order and restarted, one after the other. */
  ROLLING_RESTART(
      16,
      0,
      (stage, faults, _, _) -> {
        stage.awaitFraction(Scenario.FIRST);
        faults.restartDispatcher();
        for (int worker = 0; worker < faults.workers(); worker++) {
          double done = (double) (worker + 1) / faults.workers();
          stage.awaitFraction(Scenario.FIRST + (Scenario.LAST - Scenario.FIRST) * done);
          faults.restartWorker(worker, 0);
        }
      }),
  /** A worker is stopped in order, and restarted. */
  WORKER_STOP(
      8,
      2,
      (stage, faults, seconds, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        faults.restartWorker(0, seconds);
      }),
  /** The dispatcher and all workers are killed and restarted. */
  ALL_KILL(
      8,
      1,
      (stage, faults, seconds, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        faults.killAll(seconds);
      }),
  /** The reader is killed, and another one goes on with the job. */
  READER_KILL(
      8,
      0,
      (stage, _, _, _) -> {
        stage.awaitFraction(Scenario.MIDDLE);
        stage.replaceReader();
      }),
  /** Random faults of all kinds. */
  EVERYTHING(40, 0, (stage, faults, _, random) -> new RandomFaults(faults, stage, random).run());

  private static final double FIRST = 0.2;
  private static final double MIDDLE = 0.4;
  private static final double LAST = 0.6;

  /** The steps of a scenario. */
  @Immutable
  @FunctionalInterface
  private interface Steps {
    void run(DrillProgress stage, Faults faults, double seconds, RandomGenerator random)
        throws IOException, InterruptedException, DrillProgress.Over;
  }

  private final double readSeconds;
  private final double faultSeconds;
  private final Steps steps;

  Scenario(double readSeconds, double faultSeconds, Steps steps) {
    this.readSeconds = readSeconds;
    this.faultSeconds = faultSeconds;
    this.steps = steps;
  }

  /** The default duration of the read without faults. */
  double readSeconds() {
    return readSeconds;
  }

  /** The default duration of a fault. */
  double faultSeconds() {
    return faultSeconds;
  }

  /** Whether the reader must be a process of its own. */
  public boolean killsReader() {
    return this == READER_KILL;
  }

  boolean fillsDisk() {
    return this == DISK_FULL || this == EVERYTHING;
  }

  /** Runs the steps against a cluster. */
  void run(DrillProgress stage, Faults faults, double seconds, long seed)
      throws IOException, InterruptedException, DrillProgress.Over {
    steps.run(stage, faults, seconds, new SplittableRandom(seed));
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

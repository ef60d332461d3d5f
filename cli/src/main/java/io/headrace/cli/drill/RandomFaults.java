package io.headrace.cli.drill;

import java.io.IOException;
import java.util.random.RandomGenerator;

/** Random faults one after the other, determined by the seed. */
final class RandomFaults {
  private static final double FIRST = 0.1;
  private static final double LAST = 0.8;
  private static final int COUNT = 5;
  private static final int KINDS = 8;

  private final Faults faults;
  private final DrillProgress stage;
  private final RandomGenerator random;

  RandomFaults(Faults faults, DrillProgress stage, RandomGenerator random) {
    this.faults = faults;
    this.stage = stage;
    this.random = random;
  }

  /** Injects all faults, spread over the read. */
  void run() throws IOException, InterruptedException, DrillProgress.Over {
    for (int i = 0; i < COUNT; i++) {
      stage.awaitFraction(FIRST + (LAST - FIRST) * i / COUNT);
      next();
    }
  }

  private void next() throws IOException, InterruptedException {
    int worker = random.nextInt(faults.workers());
    double seconds = random.nextDouble(0.5, 4);
    switch (random.nextInt(KINDS)) {
      case 0 -> faults.killDispatcher(seconds);
      case 1 -> faults.killWorker(worker, seconds);
      case 2 -> faults.hangWorker(worker, seconds);
      // Longer than a worker may be silent before it is given up.
      case 3 -> faults.hangWorker(worker, 10 + seconds);
      case 4 -> faults.cutNetwork(seconds);
      case 5 -> faults.startSecondDispatcher();
      case 6 -> faults.fillDisk(seconds);
      default -> {
        faults.restartDispatcher();
        faults.restartWorker(worker, 0);
      }
    }
  }
}

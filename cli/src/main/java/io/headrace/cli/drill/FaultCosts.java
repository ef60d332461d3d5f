package io.headrace.cli.drill;

/**
 * Adds up what faults may cost where a job is read at most once. A lost worker costs what it had
 * announced, which is in proportion to the rate of reading. Used by one thread.
 */
final class FaultCosts {
  /** For a lost worker, while {@link #RATE} elements a second are read, or fewer. */
  private static final long LOST_WORKER = 50;

  private static final double RATE = 1_250;

  // Where the read has no pace.
  private static final double MAX_FACTOR = 1e6;

  /** For a killed reader, at any rate. */
  private static final long KILLED_READER = 10;

  private final double ofWorker;
  private double ofServers;
  private long ofReaders;

  /** No faults, while {@code rate} elements a second are read. */
  FaultCosts(double rate) {
    this.ofWorker = LOST_WORKER * Math.clamp(rate / RATE, 1, MAX_FACTOR);
  }

  /** Adds that workers are killed, or stopped for a while. */
  void loseWorkers(int workers) {
    ofServers += workers * ofWorker;
  }

  /** Adds that a reader is killed. */
  void loseReader() {
    ofReaders += KILLED_READER;
  }

  /** The limit where the dispatcher counts {@code counted} elements as missing. */
  LossLimit limit(long counted) {
    return new LossLimit(counted, (long) ofServers, ofReaders);
  }
}

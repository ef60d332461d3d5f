package io.headrace.dispatcher.statistics;

import java.util.List;
import java.util.OptionalDouble;

/**
 * The load of a job's iteration, and of what the iteration depends on.
 *
 * @param firstPass whether it is the first pass over the job's dataset
 * @param finished whether the iteration was read to its end
 * @param cluster what jobs share
 * @param splits its splits, with dynamic sharding
 * @param finishedTasks the tasks that were read to their end
 * @param tasks its active tasks
 * @param readers its readers
 * @param group the group that reads it together
 */
public record JobLoad(
    boolean firstPass,
    boolean finished,
    Cluster cluster,
    Splits splits,
    long finishedTasks,
    List<TaskLoad> tasks,
    List<ReaderLoad> readers,
    Group group) {
  /**
   * Readers that begin together: those that resume from one checkpoint, or the consumers of a
   * coordinated read.
   *
   * @param here those that have joined
   * @param all those that there will be; 0 if none wait for one another
   */
  public record Group(long here, long all) {
    public static final Group NONE = new Group(0, 0);

    boolean isIncomplete() {
      return here < all;
    }
  }

  /**
   * The workers, and the journal that changes wait for.
   *
   * @param workers the registered workers
   * @param lostWorkers those that have stopped answering
   * @param commitMillis how long the last change took to become durable; empty before the first
   */
  public record Cluster(long workers, long lostWorkers, OptionalDouble commitMillis) {}

  /**
   * The splits of an iteration under dynamic sharding.
   *
   * @param all the number of splits; 0 without dynamic sharding
   * @param left those that no worker has taken
   */
  public record Splits(long all, long left) {
    public static final Splits NONE = new Splits(0, 0);

    boolean areDynamic() {
      return all > 0;
    }
  }
}

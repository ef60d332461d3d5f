package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The client through which a drill reads its job. One thread takes the elements; another one may
 * replace it; {@link #close} may be called from any thread.
 */
interface DrillClient extends AutoCloseable {
  /**
   * The facts about the job that are known at the end of a read.
   *
   * @param guarantee the job's guarantee; empty if it is unknown
   * @param reason why the guarantee is not stronger
   * @param lostTasks the number of lost tasks with undelivered elements
   * @param countedMissing the most elements that can be missing, as the dispatcher counts them;
   *     empty if nobody counted
   */
  record Facts(
      Optional<Guarantee> guarantee, String reason, int lostTasks, Optional<Long> countedMissing) {}

  /**
   * Waits for the next element; returns the number of its record, -1 for an element of no record,
   * or nothing at the end. StatusException if the read fails.
   */
  OptionalLong next() throws InterruptedException;

  /** Kills the client, and starts another one that goes on with the job; blocks until it reads. */
  void replace(DrillProgress stage) throws IOException, InterruptedException;

  /** The facts about the job, after the read. */
  Facts facts();

  /** Ends the read. */
  @Override
  void close();
}

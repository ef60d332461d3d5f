package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import java.io.IOException;
import java.util.Optional;

/** A cluster and the faults injected into it. {@link #close} may be called from any thread. */
interface FaultInjection extends AutoCloseable {
  /** Prepares the cluster; returns the dispatcher's target. */
  String prepare(Timeline timeline) throws IOException, InterruptedException;

  /**
   * Injects the faults while the job is read. StatusException UNAVAILABLE or DEADLINE_EXCEEDED if a
   * process misbehaves, other codes if the drill can't be run.
   */
  void play(DrillProgress stage) throws IOException, InterruptedException, DrillProgress.Over;

  /** The guarantee to demand of the job; empty leaves the choice to the dispatcher. */
  Optional<Guarantee> demanded();

  /** The default duration of the read without faults. */
  double readSeconds();

  /** Ends all processes that the scene started. */
  @Override
  void close();
}

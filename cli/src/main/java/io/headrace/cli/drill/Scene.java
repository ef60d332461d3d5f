package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import java.io.IOException;
import java.util.Optional;

/** A cluster, and what is done to it. Any thread may close it. */
interface Scene extends AutoCloseable {
  /** Makes it ready; the target of its dispatcher. */
  String prepare(Timeline timeline) throws IOException, InterruptedException;

  /**
   * Does what is to be done while the job is read. StatusException UNAVAILABLE or DEADLINE_EXCEEDED
   * if a process does not do as it should, others if the drill can't be run.
   */
  void play(Stage stage) throws IOException, InterruptedException, Stage.Over;

  /** What the job must guarantee, whatever the dispatcher would choose; empty if it may choose. */
  Optional<Guarantee> demanded();

  /** How long the read takes if nothing is in the way and nobody says otherwise. */
  double readSeconds();

  /** Leaves nothing running. */
  @Override
  void close();
}

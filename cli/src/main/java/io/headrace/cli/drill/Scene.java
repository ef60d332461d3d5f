package io.headrace.cli.drill;

import java.io.IOException;

/** A cluster, and what is done to it. Any thread may close it. */
interface Scene extends AutoCloseable {
  /** Makes it ready; the target of its dispatcher. */
  String prepare(Timeline timeline) throws IOException, InterruptedException;

  /**
   * Does what is to be done while the job is read. StatusException UNAVAILABLE or DEADLINE_EXCEEDED
   * if a process does not do as it should, others if the drill can't be run.
   */
  void play(Stage stage) throws IOException, InterruptedException, Stage.Over;

  /** How long the read takes if nothing is in the way and nobody says otherwise. */
  double readSeconds();

  /** Leaves nothing running. */
  @Override
  void close();
}

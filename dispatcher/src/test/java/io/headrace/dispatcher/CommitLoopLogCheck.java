package io.headrace.dispatcher;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Turns bugs that the commit loop survives and only logs into violations. */
final class CommitLoopLogCheck extends Handler implements AutoCloseable {
  private static final Logger LOGGER = Logger.getLogger(CommitLoop.class.getName());

  private final Simulation simulation;

  /** Listens until closed. */
  CommitLoopLogCheck(Simulation simulation) {
    this.simulation = simulation;
    LOGGER.setUseParentHandlers(false);
    LOGGER.setLevel(Level.SEVERE);
    LOGGER.addHandler(this);
  }

  @Override
  public void publish(LogRecord record) {
    String message = record.getMessage();
    simulation.require(
        !message.contains("does not fit") && !message.contains("following a change"),
        "%s: %s",
        message,
        record.getThrown());
  }

  @Override
  public void flush() {
    // Nothing is buffered.
  }

  @Override
  public void close() {
    LOGGER.removeHandler(this);
    LOGGER.setLevel(null);
    LOGGER.setUseParentHandlers(true);
  }
}

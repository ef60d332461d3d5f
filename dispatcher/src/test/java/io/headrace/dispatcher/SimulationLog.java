package io.headrace.dispatcher;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Hears of the bugs that the commit loop survives, and would only log. */
final class SimulationLog extends Handler implements AutoCloseable {
  private final Simulation simulation;
  private final Logger logger = Logger.getLogger(CommitLoop.class.getName());

  /** Listens until closed. */
  SimulationLog(Simulation simulation) {
    this.simulation = simulation;
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.SEVERE);
    logger.addHandler(this);
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
    // Nothing is kept.
  }

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(null);
    logger.setUseParentHandlers(true);
  }
}

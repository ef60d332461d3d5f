package io.headrace.cli;

import java.lang.System.Logger.Level;
import java.util.logging.ConsoleHandler;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** Sends what the process has to say to standard error, one line an event. */
final class Logging {
  /* Held here, because java.util.logging forgets the levels of loggers that nobody holds. */
  private static final Logger ROOT = Logger.getLogger("");
  private static final Logger HOUSE = Logger.getLogger("io.headrace");
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  private Logging() {}

  /** Our own loggers say what {@code level} lets through; those of libraries, warnings only. */
  static void configure(LogLevel level) {
    LogManager.getLogManager().reset();
    var handler = new ConsoleHandler();
    handler.setLevel(java.util.logging.Level.ALL);
    handler.setFormatter(new OneLineFormatter());
    ROOT.addHandler(handler);
    ROOT.setLevel(java.util.logging.Level.WARNING);
    HOUSE.setLevel(level.level());
    // What it warns of, whoever made the call hears as a status, and says.
    GRPC.setLevel(java.util.logging.Level.SEVERE);
    Thread.setDefaultUncaughtExceptionHandler(Logging::uncaught);
  }

  private static void uncaught(Thread thread, Throwable failure) {
    System.getLogger(Logging.class.getName())
        .log(Level.ERROR, "thread " + thread.getName() + " died", failure);
  }
}

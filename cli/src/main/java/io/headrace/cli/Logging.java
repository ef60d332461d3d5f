package io.headrace.cli;

import java.lang.System.Logger.Level;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** Configures logging to standard error, one line per event. */
final class Logging {
  /* Held strongly: java.util.logging forgets the levels of unreachable loggers. */
  private static final Logger ROOT = Logger.getLogger("");
  private static final Logger OWN = Logger.getLogger("io.headrace");
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  private static volatile LogFormat format = LogFormat.TEXT;

  private Logging() {}

  /** Logs at {@code level} for our own loggers, and warnings for those of libraries. */
  static void configure(LogLevel level) {
    LogManager.getLogManager().reset();
    var handler = new ConsoleHandler();
    handler.setLevel(java.util.logging.Level.ALL);
    handler.setFormatter(format.formatter());
    ROOT.addHandler(handler);
    ROOT.setLevel(java.util.logging.Level.WARNING);
    OWN.setLevel(level.level());
    // gRPC's warnings duplicate the statuses that callers receive and report.
    GRPC.setLevel(java.util.logging.Level.SEVERE);
    Thread.setDefaultUncaughtExceptionHandler(Logging::uncaught);
  }

  /** Logs in lines of the form {@code wanted} from now on. */
  static void use(LogFormat wanted) {
    format = wanted;
    for (Handler handler : ROOT.getHandlers()) {
      handler.setFormatter(wanted.formatter());
    }
  }

  private static void uncaught(Thread thread, Throwable failure) {
    System.getLogger(Logging.class.getName())
        .log(Level.ERROR, "thread " + thread.getName() + " died", failure);
  }
}

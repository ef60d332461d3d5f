package io.headrace.cli;

import io.headrace.runtime.status.StatusException;
import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine;

/** The life of a process that is a server: start, say so, serve until a signal asks for the end. */
final class ServerProcess {
  /** Blocks until the server was stopped; throws a StatusException if it ended by itself. */
  @FunctionalInterface
  interface Join {
    void join() throws InterruptedException;
  }

  /**
   * A server that was constructed and not started.
   *
   * @param start begins to serve, and returns the target that clients name it by
   * @param join blocks until it was stopped
   * @param stop lets what is in flight come to its end, and ends it; a start under way, too
   */
  record Server(Supplier<String> start, Join join, Runnable stop) {}

  private ServerProcess() {}

  /**
   * Constructs a server and serves until SIGTERM; prints {@code ready TARGET} as a result of {@code
   * command} once it does.
   *
   * @return the exit status: 0 after an orderly stop, 1 if it ended by itself, 2 if it can't start
   *     as it was asked to
   */
  static int run(CommandLine command, Supplier<Server> construct) throws InterruptedException {
    Server server;
    StopSignals signals;
    try {
      server = construct.get();
      signals = StopSignals.handle(server.stop());
    } catch (StatusException e) {
      return OneLineErrors.refuse(command, e);
    }
    try {
      sayReady(server.start().get(), command.getOut());
    } catch (StatusException e) {
      return signals.asked() ? 0 : OneLineErrors.refuse(command, e);
    }
    try {
      server.join().join();
    } catch (StatusException e) {
      return OneLineErrors.end(command, e);
    }
    return 0;
  }

  private static void sayReady(String target, PrintWriter out) {
    out.println("ready " + target);
    out.flush();
  }
}

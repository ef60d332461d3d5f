package io.headrace.cli;

import io.headrace.cli.metrics.Telemetry;
import io.headrace.cli.web.Routes;
import io.headrace.cli.web.WebConfig;
import io.headrace.cli.web.WebServer;
import io.headrace.runtime.status.StatusException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import picocli.CommandLine;

/** The life cycle of a server process: start, announce readiness, serve until a signal arrives. */
final class ServerProcess {
  /** Blocks until the server was stopped; throws a StatusException if it ended on its own. */
  @FunctionalInterface
  interface Join {
    void join() throws InterruptedException;
  }

  /**
   * A server that is constructed but not started.
   *
   * @param start starts serving, and returns the target for clients
   * @param join blocks until the server was stopped
   * @param stop stops the server in order, even while it starts
   * @param dropped grows whenever the server drops what takes memory
   */
  record Server(Supplier<String> start, Join join, Runnable stop, LongSupplier dropped) {
    /** A server that drops little without allocating. */
    Server(Supplier<String> start, Join join, Runnable stop) {
      this(start, join, stop, () -> 0);
    }

    /** The same server, after whose end {@code last} runs. */
    Server afterwards(Runnable last) {
      return new Server(
          start,
          () -> {
            try {
              join.join();
            } finally {
              last.run();
            }
          },
          stop,
          dropped);
    }

    /** The same server with pages, which are there from before its start until it has stopped. */
    Server withPages(WebConfig web, Routes routes) {
      AtomicReference<Optional<WebServer>> pages = new AtomicReference<>(Optional.empty());
      return new Server(
          () -> {
            WebServer opened = WebServer.start(web, routes);
            pages.set(Optional.of(opened));
            try {
              return start.get();
            } catch (RuntimeException e) {
              opened.close();
              throw e;
            }
          },
          () -> {
            try {
              join.join();
            } finally {
              pages.get().ifPresent(WebServer::close);
            }
          },
          stop,
          dropped);
    }

    /** The same server with metrics that are sent away: once more when it is told to stop. */
    Server withExports(Telemetry telemetry) {
      return new Server(
          start,
          () -> {
            try {
              join.join();
            } finally {
              telemetry.close();
            }
          },
          () -> {
            telemetry.flush();
            stop.run();
          },
          dropped);
    }
  }

  private ServerProcess() {}

  /**
   * Constructs a server and serves until SIGTERM; prints {@code ready TARGET} on the output of
   * {@code command} once it serves.
   *
   * @return the exit status: 0 after an orderly stop, 1 if the server ended on its own, 2 if it
   *     can't start with the given flags
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
      HeapRelease.start(server.dropped());
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

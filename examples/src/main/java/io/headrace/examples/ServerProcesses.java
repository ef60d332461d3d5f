package io.headrace.examples;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Local {@code headrace} servers, each a process. They are stopped on close, and at the end of this
 * process. Thread-safe.
 */
final class ServerProcesses implements AutoCloseable {
  private static final String READY = "ready ";
  private static final int START_SECONDS = 60;
  private static final int STOP_SECONDS = 10;

  private final List<String> command;
  private final Thread hook = new Thread(this::stop, "stop-servers");
  private final List<Process> processes = new ArrayList<>();
  private boolean closed;

  /**
   * Starts no server yet.
   *
   * @param command the command line of {@code headrace}, without its arguments
   */
  ServerProcesses(List<String> command) {
    this.command = List.copyOf(command);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Starts a server; the result is its target, once it serves. */
  CompletableFuture<String> start(List<String> arguments) {
    List<String> whole = new ArrayList<>(command);
    whole.addAll(arguments);
    whole.add("--log-level=warning");
    Process process = start(new ProcessBuilder(whole).redirectError(Redirect.INHERIT));
    return CompletableFuture.supplyAsync(
            () -> awaitReady(process, arguments.getFirst()),
            task -> Thread.ofVirtual().name("await-ready").start(task))
        .orTimeout(START_SECONDS, TimeUnit.SECONDS);
  }

  private synchronized Process start(ProcessBuilder builder) {
    if (closed) {
      throw new StatusException(StatusCode.CANCELLED, "the servers were stopped");
    }
    try {
      Process process = builder.start();
      processes.add(process);
      return process;
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.UNAVAILABLE, "a server did not start: " + e.getMessage(), e);
    }
  }

  private static String awaitReady(Process process, String what) {
    try {
      BufferedReader out = process.inputReader();
      String line = out.readLine();
      if (line == null) {
        throw StatusException.of(StatusCode.UNAVAILABLE, "the %s ended before it was ready", what);
      }
      if (!line.startsWith(READY)) {
        throw StatusException.of(
            StatusCode.UNAVAILABLE, "the %s said %s and not that it is ready", what, line);
      }
      return line.substring(READY.length());
    } catch (IOException e) {
      throw new StatusException(StatusCode.UNAVAILABLE, "the " + what + " did not start", e);
    }
  }

  /**
   * Waits until all servers serve; returns their targets.
   *
   * @throws StatusException UNAVAILABLE if a server does not start; CANCELLED if this thread is
   *     interrupted
   */
  static List<String> await(List<CompletableFuture<String>> starting) {
    List<String> targets = new ArrayList<>();
    try {
      for (CompletableFuture<String> server : starting) {
        targets.add(server.get());
      }
      return targets;
    } catch (ExecutionException e) {
      Throwable cause = requireNonNull(e.getCause());
      String reason =
          cause instanceof TimeoutException
              ? "a server was not ready in %d s".formatted(START_SECONDS)
              : String.valueOf(cause.getMessage());
      throw new StatusException(StatusCode.UNAVAILABLE, "the cluster did not start: " + reason, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "interrupted", e);
    }
  }

  /** Stops every server, the last one first; kills those that do not stop in time. Idempotent. */
  @Override
  public void close() {
    stop();
    try {
      var _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // The process is ending: the hook finds nothing left to stop.
    }
  }

  private void stop() {
    List<Process> toStop;
    synchronized (this) {
      closed = true;
      toStop = new ArrayList<>(processes).reversed();
      processes.clear();
    }
    toStop.forEach(Process::destroy);
    for (Process process : toStop) {
      try {
        process.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException | ExecutionException e) {
        process.destroyForcibly();
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}

package io.headrace.cli.drill;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server process, whose log is appended to a file. */
final class DrillProcess {
  private static final String READY = "ready grpc://";
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final String name;
  private final Process process;
  private final Path log;

  private DrillProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /** Starts {@code command} without waiting. */
  static DrillProcess start(String name, List<String> command, Path log) throws IOException {
    return start(name, command, Map.of(), log);
  }

  /** Starts {@code command}, with {@code environment} added, without waiting. */
  static DrillProcess start(
      String name, List<String> command, Map<String, String> environment, Path log)
      throws IOException {
    var builder = new ProcessBuilder(command).redirectError(Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    return new DrillProcess(name, builder.start(), log);
  }

  String name() {
    return name;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until the process announces readiness. UNAVAILABLE if it does not. */
  void awaitReady() throws InterruptedException {
    awaitReady(START_LIMIT);
  }

  /** Waits for {@code limit} at the most until the process announces readiness. */
  void awaitReady(Duration limit) throws InterruptedException {
    try {
      String line =
          CompletableFuture.supplyAsync(this::nextLine, task -> Thread.ofVirtual().start(task))
              .get(limit.toSeconds(), TimeUnit.SECONDS);
      if (!line.startsWith(READY)) {
        throw StatusException.of(
            StatusCode.UNAVAILABLE, "the %s did not start: %s", name, lastLogged());
      }
    } catch (TimeoutException e) {
      throw new StatusException(
          StatusCode.UNAVAILABLE,
          "the " + name + " did not start in " + limit.toSeconds() + " s: " + lastLogged(),
          e);
    } catch (ExecutionException e) {
      throw new StatusException(StatusCode.UNAVAILABLE, "the " + name + " did not start", e);
    }
  }

  private String nextLine() {
    BufferedReader out = process.inputReader();
    try {
      String line = out.readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Writes a line to the standard input, and waits for a line of the standard output; empty if the
   * process has ended. For one thread, and a process that is ready.
   */
  Optional<String> ask(String line) {
    try {
      BufferedWriter in = process.outputWriter();
      in.write(line + "\n");
      in.flush();
    } catch (IOException e) {
      // It has ended, but may have answered.
    }
    return Optional.of(nextLine()).filter(answer -> !answer.isEmpty());
  }

  /** The last line of the log; empty if there is none. */
  String lastLogged() {
    try {
      List<String> lines = Files.readAllLines(log);
      return lines.isEmpty() ? "" : lines.getLast();
    } catch (IOException e) {
      return "";
    }
  }

  /** Sends a signal, named without SIG. */
  void signal(String signal) throws InterruptedException {
    SystemCommands.need(List.of("kill", "-" + signal, Long.toString(pid())));
  }

  /** Sends SIGKILL, and waits for the process's end. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** Waits for the exit status; DEADLINE_EXCEEDED after {@code limit}. */
  int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw StatusException.of(
          StatusCode.DEADLINE_EXCEEDED, "the %s has not ended in %d s", name, limit.toSeconds());
    }
    return process.exitValue();
  }

  /** Sends SIGKILL without waiting. */
  void destroy() {
    process.destroyForcibly();
  }

  /** Waits for the process's end; not interruptible. */
  void awaitDestroyed() {
    process.onExit().join();
  }
}

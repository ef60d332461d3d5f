package io.headrace.interop;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;

/**
 * A child process of a test, which ends no later than the test's JVM.
 *
 * <p>Its standard output is read line by line; its standard error goes to a file that failures
 * quote. Its standard input stays open until this JVM ends, so that the child can notice that.
 */
final class ManagedProcess implements AutoCloseable {
  private static final Set<Process> LIVE = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> LIVE.forEach(ManagedProcess::destroyTree), "kill"));
  }

  private final String name;
  private final Process process;
  private final Path log;
  // The unread lines of output; an empty one at the end.
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

  private ManagedProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts {@code command} in the root of the source tree, with {@code environment} added.
   *
   * <p>A script of stock TensorFlow is {@linkplain Forks forked}, unless it has an environment of
   * its own: TensorFlow reads variables while it is imported.
   */
  static ManagedProcess start(String name, List<String> command, Map<String, String> environment) {
    try {
      Path log = Files.createTempFile(TestPaths.output("logs"), name + "-", ".log");
      List<String> script = StockTensorFlow.script(command);
      Process process;
      if (script.isEmpty() || !environment.equals(StockTensorFlow.ENVIRONMENT)) {
        var builder = new ProcessBuilder(command).directory(TestPaths.root().toFile());
        builder.redirectError(log.toFile()).environment().putAll(environment);
        process = builder.start();
      } else {
        process = Forks.start(script, log);
      }
      var started = new ManagedProcess(name, process, log);
      LIVE.add(started.process);
      Thread.ofVirtual().name("stdout of " + name).start(started::readOutput);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for the ready line; returns the HOST:PORT in it. */
  String awaitReady() throws InterruptedException {
    return awaitLine("ready grpc://", 180);
  }

  /** Waits for the next line of output with this start; returns the rest of the line. */
  String awaitLine(String start, int seconds) throws InterruptedException {
    var search = new FutureTask<>(() -> takeLine(start));
    Thread.ofVirtual().name("await " + start).start(search);
    try {
      return search.get(seconds, SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      search.cancel(true);
      close();
      throw new AssertionError(name + " did not say '" + start + "'\n" + tailOfLog(), e);
    }
  }

  /** Waits for the end of output; returns the lines that were not taken. */
  List<String> awaitLines(int seconds) throws InterruptedException {
    List<String> rest = new ArrayList<>();
    long deadline = System.nanoTime() + SECONDS.toNanos(seconds);
    for (; ; ) {
      Optional<String> line = lines.poll(deadline - System.nanoTime(), NANOSECONDS);
      if (line == null) {
        close();
        throw new AssertionError(name + " still ran after " + seconds + " s\n" + tailOfLog());
      }
      if (line.isEmpty()) {
        lines.add(line);
        return rest;
      }
      rest.add(line.get());
    }
  }

  /** Writes a line to its standard input. */
  void say(String line) {
    try {
      BufferedWriter input = process.outputWriter();
      input.write(line);
      input.newLine();
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(name + " takes no input\n" + tailOfLog(), e);
    }
  }

  /** Waits until the process has ended on its own; returns its exit status. */
  int awaitEnd(int seconds) throws InterruptedException {
    if (!process.waitFor(seconds, SECONDS)) {
      close();
      throw new AssertionError(name + " still ran after " + seconds + " s\n" + tailOfLog());
    }
    LIVE.remove(process);
    return process.exitValue();
  }

  /** Sends SIGTERM; returns the exit status. */
  int stop() throws InterruptedException {
    process.destroy();
    return awaitEnd(30);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends SIGKILL to the process and its children. */
  @Override
  public void close() {
    destroyTree(process);
    LIVE.remove(process);
  }

  /** The end of its standard error, under a heading. */
  String tailOfLog() {
    try {
      String text = Files.readString(log);
      return "--- " + log + "\n" + text.substring(Math.max(0, text.length() - 4000));
    } catch (IOException e) {
      return "--- " + log + ": " + e;
    }
  }

  private String takeLine(String start) throws InterruptedException, EOFException {
    for (Optional<String> line = lines.take(); line.isPresent(); line = lines.take()) {
      if (line.get().startsWith(start)) {
        return line.get().substring(start.length());
      }
    }
    lines.add(Optional.empty());
    throw new EOFException("its standard output ended");
  }

  private void readOutput() {
    try (BufferedReader output = process.inputReader()) {
      output.lines().map(Optional::of).forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      lines.add(Optional.of("its standard output broke: " + e));
    }
    lines.add(Optional.empty());
  }

  private static void destroyTree(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}

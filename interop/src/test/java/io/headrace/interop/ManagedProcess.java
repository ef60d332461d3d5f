package io.headrace.interop;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * A process that a test started, which ends no later than the test's own JVM.
 *
 * <p>Its standard output is read line by line, its standard error goes to a file that failures
 * quote. Standard input stays open as long as this JVM lives, so that a child can notice its end.
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
  // What it wrote and nobody has awaited yet; an empty one at the end.
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

  private ManagedProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /** Starts {@code command} in the root of the source tree, with {@code environment} added. */
  static ManagedProcess start(String name, List<String> command, Map<String, String> environment) {
    try {
      Path log = Files.createTempFile(Place.output("logs"), name + "-", ".log");
      var builder = new ProcessBuilder(command).directory(Place.root().toFile());
      builder.redirectError(log.toFile()).environment().putAll(environment);
      var started = new ManagedProcess(name, builder.start(), log);
      LIVE.add(started.process);
      Thread.ofVirtual().name("stdout of " + name).start(started::readOutput);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for the line that says where the server listens, and returns the HOST:PORT of it. */
  String awaitReady() throws InterruptedException {
    return awaitLine("ready grpc://", 180);
  }

  /** Waits for the next line of its output with this start, and returns the rest of the line. */
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

  /** Waits until the process has ended by itself, and returns its exit status. */
  int awaitEnd(int seconds) throws InterruptedException {
    if (!process.waitFor(seconds, SECONDS)) {
      close();
      throw new AssertionError(name + " still ran after " + seconds + " s\n" + tailOfLog());
    }
    LIVE.remove(process);
    return process.exitValue();
  }

  /** Sends SIGTERM, and returns the exit status. */
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

  /** The end of what it wrote to standard error, under a heading. */
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

package io.headrace.gpu.check;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts other programs, this one among them, and waits for them a bounded time. */
final class ChildProcess {
  /** The status where a process took too long and was ended. */
  static final int TIMED_OUT = -1;

  private ChildProcess() {}

  /**
   * The end of a process.
   *
   * @param status its exit status, or {@link #TIMED_OUT}
   * @param output what it printed, on both streams
   */
  record Ended(int status, String output) {
    /** The last lines that it printed. */
    String tail() {
      List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
      return String.join(" / ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    }
  }

  /** The command that starts this program again, with the same class path. */
  static List<String> ofThisProgram(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // As ./headrace --devices has it: the memory of results is looked for beside the work.
    command.add("-XX:+ExplicitGCInvokesConcurrent");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    String library = System.getProperty("headrace.cuda.library");
    if (library != null) {
      command.add("-Dheadrace.cuda.library=" + library);
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), GpuCheck.class.getName()));
    command.addAll(arguments);
    return command;
  }

  /** Runs a command, and prints what it prints, line by line. */
  static int run(List<String> command, Duration limit, PrintStream out)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread reader = Thread.ofVirtual().start(() -> print(process, out));
    int status = status(process, limit);
    reader.join();
    return status;
  }

  private static void print(Process process, PrintStream out) {
    try (var lines = process.inputReader().lines()) {
      lines.forEach(out::println);
    } catch (UncheckedIOException _) {
      // The process was ended, and nobody waits for its words.
    }
  }

  /** Runs a command, and keeps what it prints. */
  static Ended output(List<String> command, Duration limit) {
    try {
      Path file = Files.createTempFile("headrace-gpu-check", ".txt");
      try {
        Process process =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(file.toFile())
                .start();
        int status = status(process, limit);
        return new Ended(status, Files.readString(file));
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static int status(Process process, Duration limit) throws InterruptedException {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)
          ? process.exitValue()
          : TIMED_OUT;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}

package io.headrace.gpu.check;

import io.headrace.gpu.check.ChildProcess.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Runs kernels under NVIDIA's compute-sanitizer, where that is installed. */
final class SanitizerPart {
  /** The tools, each of which looks for one kind of fault. */
  static final List<String> TOOLS = List.of("memcheck", "racecheck", "initcheck", "synccheck");

  /** The status of a program in which the tool found a fault. */
  static final int FOUND = 86;

  private static final String NAME = "compute-sanitizer";

  /** For each of five runs, all of which have ten minutes. */
  private static final Duration LIMIT = Duration.ofSeconds(110);

  private SanitizerPart() {}

  static void run(CheckedMachine machine, CheckPoints points) {
    Optional<Path> tool = find();
    if (tool.isEmpty()) {
      points.skip(NAME, "it is not on the path, nor below CUDA_HOME or /usr/local/cuda");
      return;
    }
    check(
        arguments -> {
          List<String> command = new ArrayList<>(List.of(tool.get().toString()));
          command.addAll(arguments);
          return ChildProcess.output(command, LIMIT);
        },
        machine,
        points);
  }

  private static Optional<Path> find() {
    Stream<Path> onPath =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":")).map(Path::of);
    Stream<Path> installed =
        Stream.of(System.getenv().getOrDefault("CUDA_HOME", "/usr/local/cuda"), "/usr/local/cuda")
            .map(home -> Path.of(home, "bin"));
    return Stream.concat(onPath, installed)
        .map(folder -> folder.resolve(NAME))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Checks that the tool notices a kernel that is wrong, and none else.
   *
   * @param tool runs it with arguments
   */
  static void check(
      Function<List<String>, Ended> tool, CheckedMachine machine, CheckPoints points) {
    Ended wrong = tool.apply(arguments("memcheck", machine, GpuCheck.WILD));
    if (wrong.status() != FOUND) {
      points.skip(
          NAME,
          "it does not notice a wrong kernel under a JVM here: status %d, %s"
              .formatted(wrong.status(), wrong.tail()));
      return;
    }
    for (String each : TOOLS) {
      points.check(
          each,
          () -> {
            Ended ended = tool.apply(arguments(each, machine, CheckPart.KERNELS.title()));
            if (ended.status() != 0) {
              throw new IllegalStateException(
                  "status %d: %s".formatted(ended.status(), ended.tail()));
            }
            return "nothing found";
          });
    }
  }

  private static List<String> arguments(String tool, CheckedMachine machine, String part) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--tool", tool, "--error-exitcode", String.valueOf(FOUND)));
    arguments.addAll(
        ChildProcess.ofThisProgram(
            List.of("--sanitized", "--cases=" + machine.cases(), "--in-process", part)));
    return arguments;
  }
}

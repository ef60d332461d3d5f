package io.headrace.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stock TensorFlow as a reader of pipelines, through the service and alone. */
final class StockTensorFlow {
  static final Map<String, String> ENVIRONMENT =
      Map.of("TF_CPP_MIN_LOG_LEVEL", "2", "CUDA_VISIBLE_DEVICES", "");

  // Writes no bytecode into the source tree.
  private static final List<String> INTERPRETER = List.of(TestPaths.python().toString(), "-B");

  private static @Nullable Results alone;

  private StockTensorFlow() {}

  static List<String> command(String script, String... arguments) {
    String path = TestPaths.scripts().resolve(script).toString();
    return Stream.concat(INTERPRETER.stream(), Stream.concat(Stream.of(path), Stream.of(arguments)))
        .toList();
  }

  /**
   * The script and arguments of a {@linkplain #command command line}, and nothing of another one.
   */
  static List<String> script(List<String> command) {
    int words = INTERPRETER.size();
    return command.size() > words && command.subList(0, words).equals(INTERPRETER)
        ? command.subList(words, command.size())
        : List.of();
  }

  /** The oracle: TensorFlow's results of every pipeline without a service. Runs once. */
  static synchronized Results alone() throws InterruptedException {
    if (alone == null) {
      Path out = TestPaths.output("alone");
      alone = run("alone", out, command("local.py", files(), out.toString()));
    }
    return alone;
  }

  /** Reads all pipelines with a stock client. */
  static Results read(String dispatcher, String label, List<String> flags)
      throws InterruptedException {
    alone(); // writes the input files
    return run("read.py", dispatcher, label, flags);
  }

  /** Runs all cases of {@code behaviours.py}, and the refusals of these names. */
  static Results behave(String dispatcher, String label, List<String> refusals)
      throws InterruptedException {
    return run("behaviours.py", dispatcher, label + "-behaviours", refusals);
  }

  private static Results run(String script, String dispatcher, String label, List<String> arguments)
      throws InterruptedException {
    Path out = TestPaths.output(label);
    List<String> command =
        new ArrayList<>(command(script, "grpc://" + dispatcher, files(), out.toString()));
    command.addAll(arguments);
    return run(label, out, command);
  }

  /** Stock TensorFlow's results for the graphs that {@code write} stores in a folder. */
  static Results run(String label, Consumer<Path> write) throws InterruptedException {
    Path out = TestPaths.output(label);
    removeFiles(out);
    write.accept(out);
    execute(label, command("graphs.py", out.toString()));
    return new Results(out);
  }

  private static Results run(String label, Path out, List<String> command)
      throws InterruptedException {
    removeFiles(out);
    execute(label, command);
    return new Results(out);
  }

  private static void execute(String label, List<String> command) throws InterruptedException {
    try (var process = ManagedProcess.start(label, command, ENVIRONMENT)) {
      int status = process.awaitEnd(900);
      if (status != 0) {
        throw new AssertionError(label + " ended with " + status + "\n" + process.tailOfLog());
      }
    }
  }

  /** Deletes results of earlier runs. */
  private static void removeFiles(Path folder) {
    try (Stream<Path> old = Files.list(folder)) {
      for (Path file : old.toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String files() {
    return TestPaths.output("files").toString();
  }
}

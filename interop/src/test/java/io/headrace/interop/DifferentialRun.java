package io.headrace.interop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.headrace.runtime.status.Cancellation;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A script that compares Headrace with stock TensorFlow in numbered cases, in a process of its own.
 *
 * <p>The script runs stock TensorFlow and asks this JVM, over its standard output and input, for
 * Headrace's answers. Where an op takes stock's process down, the run goes on behind that case in a
 * new process. A run has at most {@code seconds}.
 */
final class DifferentialRun {
  /** The exit status of a process that a signal ended is 128 and the signal's number. */
  private static final int LEAST_SIGNAL = 128;

  private final String script;
  private final int seconds;

  /** The printed failures, shrunk. */
  final List<String> failures = new ArrayList<>();

  /** The cases of which stock's process died. */
  final List<String> deaths = new ArrayList<>();

  /** The number of cases by outcome. */
  final Map<String, Integer> outcomes = new TreeMap<>();

  /** The names that the script counts, by kind: ops, dtypes, transformations. */
  final Map<String, TreeSet<String>> names = new TreeMap<>();

  private int number;
  private String current = "the start";

  /** How the current case fails, while it is shrunk. */
  private @Nullable String suspect;

  DifferentialRun(String script, int seconds) {
    this.script = script;
    this.seconds = seconds;
  }

  /** Runs the cases {@code first} up to {@code end} with further {@code arguments}. */
  void run(int first, int end, List<String> arguments) throws IOException, InterruptedException {
    number = first - 1;
    do {
      runFrom(number + 1, end, arguments);
    } while (number < end - 1);
  }

  /** The amounts that were compared, in one line. */
  String summary() {
    StringBuilder line = new StringBuilder(script);
    names.forEach((kind, all) -> line.append(", ").append(all.size()).append(' ').append(kind));
    outcomes.forEach((outcome, n) -> line.append(", ").append(n).append(' ').append(outcome));
    return line.append(", ").append(deaths.size()).append(" that ended stock's process").toString();
  }

  private void runFrom(int first, int end, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(StockTensorFlow.command(script));
    command.addAll(List.of(Integer.toString(first), Integer.toString(end)));
    command.addAll(arguments);
    Path log = Files.createTempFile(TestPaths.output("logs"), script + "-", ".log");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder.environment().putAll(StockTensorFlow.ENVIRONMENT);
    builder.environment().put("TF_CPP_MIN_LOG_LEVEL", "3");
    // The order of sets of strings, and so the cases, would be another one in each process.
    builder.environment().put("PYTHONHASHSEED", "0");
    Process process = builder.start();
    AtomicBoolean isLate = new AtomicBoolean();
    Cancellation cancellation = new Cancellation();
    Thread watch = Thread.ofVirtual().start(() -> watch(process, isLate, cancellation));
    int before = number;
    boolean done;
    try (DataInputStream in =
            new DataInputStream(new BufferedInputStream(process.getInputStream(), 1 << 16));
        DataOutputStream out =
            new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), 1 << 16))) {
      done = serve(in, new ScriptEngine(in, out, cancellation));
      if (!done) {
        process.waitFor();
      }
    } catch (IOException _) {
      done = false; // The script waits no longer for the answer.
      failures.add(current + ": no answer in time");
    } finally {
      watch.interrupt();
    }
    if (done) {
      number = end - 1;
      return;
    }
    // An exception of the script, which ends it with a low status, is no crash of stock's.
    int status = process.waitFor();
    if (isLate.get() || number == before || status < LEAST_SIGNAL) {
      throw new AssertionError(
          "%s ended early (status %d), or ran for too long, in %s\n%s"
              .formatted(script, status, current, tail(log)));
    }
    deaths.add(current);
    if (suspect != null) {
      failures.add(suspect);
    }
  }

  /** Ends the process when it has run for too long, and the call that it waits for when it ends. */
  private void watch(Process process, AtomicBoolean isLate, Cancellation cancellation) {
    try {
      isLate.set(!process.waitFor(seconds, SECONDS));
    } catch (InterruptedException _) {
      // The run is over.
    }
    process.destroyForcibly();
    cancellation.cancel();
  }

  /** Serves until the script says that it has ended; false if it dies before. */
  private boolean serve(DataInputStream in, ScriptEngine engine) throws IOException {
    while (true) {
      int request;
      try {
        request = in.readUnsignedByte();
      } catch (EOFException _) {
        return false;
      }
      switch (request) {
        case 'o' -> engine.listOps();
        case 'f' -> engine.callFunction();
        case 'd' -> engine.readDataset();
        case 'b' -> {
          number = in.readInt();
          current = text(in);
          suspect = null;
        }
        case 'n' -> names.computeIfAbsent(text(in), _ -> new TreeSet<>()).add(text(in));
        case 'r' -> outcomes.merge(text(in), 1, Integer::sum);
        case 's' -> suspect = text(in);
        case 'x' -> {
          failures.add(text(in));
          suspect = null;
        }
        case 'e' -> {
          return true;
        }
        default -> throw new AssertionError("request " + request + " of " + script);
      }
    }
  }

  private static String text(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), UTF_8);
  }

  private static String tail(Path log) throws IOException {
    String text = Files.readString(log);
    return text.substring(Math.max(0, text.length() - 4000));
  }
}

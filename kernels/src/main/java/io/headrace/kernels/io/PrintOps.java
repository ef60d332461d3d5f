package io.headrace.kernels.io;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.file.ReservedFolders;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Print and PrintV2: tensors as text, for the operator of the process that runs them. */
final class PrintOps {
  private static final System.Logger LOGGER = System.getLogger(PrintOps.class.getName());
  private static final String FILE = "file://";

  private final PrintStream out;
  private final PrintStream err;

  private PrintOps(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** The ops on this process's standard output and error, as TensorFlow's. */
  @SuppressWarnings("SystemOut") // tf.print writes to them
  static List<Op> ops() {
    return ops(System.out, System.err);
  }

  /** The ops on given streams in place of standard output and error. */
  static List<Op> ops(PrintStream out, PrintStream err) {
    PrintOps print = new PrintOps(out, err);
    return List.of(
        Op.define("Print(input: T, data: [U]) -> output: T")
            .attrs(
                "T: type",
                "U: list(type)",
                "message: string = ''",
                "first_n: int = -1",
                "summarize: int = 3")
            .stateful()
            .touches(Touch.OUTPUT)
            .shape(in -> List.of(in.shape(0)))
            .kernel(print::print),
        Op.define("PrintV2(input: string)")
            .attrs("output_stream: string = 'stderr'", "end: string = '\n'")
            .stateful()
            .touches(Touch.OUTPUT, Touch.WRITES_FILES)
            .shape(in -> {
              Shapes.withRank(in.shape(0), 0);
              return List.of();
            })
            .kernel(print::printV2));
  }

  private Kernel.Sync print(NodeSpec node) {
    String message = node.attrs().string("message");
    long firstN = node.attrs().integer("first_n");
    long summarize = node.attrs().integer("summarize");
    AtomicLong calls = new AtomicLong();
    return call -> {
      call.setOutput(0, call.input(0));
      if (firstN >= 0 && calls.getAndIncrement() >= firstN) {
        return;
      }
      StringBuilder text = new StringBuilder(message);
      for (int i = 1; i < call.inputs(); i++) {
        text.append('[').append(TensorText.summary(call.input(i), summarize)).append(']');
      }
      write(err, text.append('\n').toString().getBytes(UTF_8));
    };
  }

  private Kernel.Sync printV2(NodeSpec node) {
    byte[] end = node.attrs().string("end").getBytes(UTF_8);
    Consumer<byte[]> sink = sink(node.attrs().string("output_stream"));
    return call -> {
      Tensor input = call.input(0);
      if (input.shape().rank() != 0) {
        throw invalidArgument("Input is expected to be scalar, but got %s", input.shape());
      }
      byte[] text = input.string(0);
      byte[] line = new byte[text.length + end.length];
      System.arraycopy(text, 0, line, 0, text.length);
      System.arraycopy(end, 0, line, text.length, end.length);
      sink.accept(line);
    };
  }

  private Consumer<byte[]> sink(String stream) {
    if (stream.startsWith(FILE)) {
      Path file = path(stream.substring(FILE.length()));
      return line -> append(file, line);
    }
    return switch (stream) {
      case "stdout" -> line -> write(out, line);
      case "stderr" -> line -> write(err, line);
      case "log(info)" -> line -> log(System.Logger.Level.INFO, line);
      case "log(warning)" -> line -> log(System.Logger.Level.WARNING, line);
      case "log(error)" -> line -> log(System.Logger.Level.ERROR, line);
      default ->
          throw invalidArgument(
              "Unknown output stream: %s, Valid streams are: stdout stderr log(info) log(warning)"
                  + " log(error) file://PATH",
              stream);
    };
  }

  /** Writes and flushes under a lock, so that lines of concurrent threads do not interleave. */
  private static void write(PrintStream stream, byte[] line) {
    synchronized (stream) {
      stream.write(line, 0, line.length);
      stream.flush();
    }
  }

  private static void log(System.Logger.Level level, byte[] line) {
    LOGGER.log(level, new String(line, UTF_8).stripTrailing());
  }

  private static Path path(String name) {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw invalidArgument("%s cannot be the name of a file: %s", name, e.getReason());
    }
  }

  private static void append(Path file, byte[] line) {
    ReservedFolders.check(file);
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      // Opening a pipe without a reader would block the step beyond cancellation.
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION, "cannot append to %s: it is no file".formatted(file));
    }
    try {
      Files.write(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION, "cannot append to %s: %s".formatted(file, e));
    }
  }
}

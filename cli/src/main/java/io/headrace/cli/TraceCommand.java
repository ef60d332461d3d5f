package io.headrace.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.headrace.cli.text.ProtoJson;
import io.headrace.cli.text.TraceEvents;
import io.headrace.cli.text.TraceText;
import io.headrace.client.DispatcherInspection;
import io.headrace.proto.headrace.ElementTrace;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace trace}: follows one element of a job, and writes its way to a file. */
@Command(
    name = "trace",
    sortOptions = false,
    description = {
      "Follow the next element of a job: through the stages and the buffer of its worker, over the"
          + " stream, and to its reader.",
      "Writes a file that ui.perfetto.dev opens, and prints how long each step took. It changes"
          + " nothing at the dispatcher."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class TraceCommand implements Callable<Integer> {
  private static final Duration MAX_DEADLINE = Duration.ofMinutes(10);
  private static final int MAX_FILE_NAME = 100;

  /** Writes apostrophes as they are, for Perfetto shows their escapes. */
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin JobArgument job = new JobArgument();

  @Mixin InspectionFlags asked = new InspectionFlags();

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "The file to write. Default: JOB.trace.json in the present folder.")
  Optional<Path> output = Optional.empty();

  @Option(
      names = "--deadline-ms",
      paramLabel = "MS",
      defaultValue = "30000",
      description =
          "Milliseconds to wait until an element is made and has reached its reader, at most"
              + " 600000. Default: ${DEFAULT-VALUE}.")
  long deadlineMs;

  @Option(
      names = "--json",
      description =
          "Print a JSON object with the fields of ElementTrace (headrace/admin.proto), which keep"
              + " their names.")
  boolean json;

  @Override
  public Integer call() {
    Duration deadline = Flags.millis("--deadline-ms", deadlineMs);
    if (deadline.compareTo(MAX_DEADLINE) > 0) {
      throw StatusException.invalidArgument(
          "--deadline-ms must be at most %d, got %d", MAX_DEADLINE.toMillis(), deadlineMs);
    }
    try (DispatcherInspection dispatcher = asked.inspect()) {
      String traced = job.in(dispatcher);
      ElementTrace trace = dispatcher.trace(traced, deadline);
      PrintWriter out = Headrace.out(spec);
      Optional<Path> written =
          trace.hasTask() ? Optional.of(write(traced, trace)) : Optional.empty();
      if (json) {
        out.println(ProtoJson.indented(trace));
      } else {
        written.ifPresent(file -> out.println(file + " is written; ui.perfetto.dev opens it"));
        new TraceText(trace).lines().forEach(out::println);
      }
      out.flush();
      if (!trace.getMissing().isEmpty()) {
        throw new StatusException(
            StatusCode.DEADLINE_EXCEEDED, "the trace is incomplete: " + trace.getMissing());
      }
      return 0;
    }
  }

  private Path write(String traced, ElementTrace trace) {
    Path file = output.orElseGet(() -> Path.of(fileName(traced)));
    try {
      return Files.writeString(file, GSON.toJson(TraceEvents.file(trace)) + "\n");
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "--output " + file + " can't be written: " + e, e);
    }
  }

  /** A file name for a job's trace, whatever characters the job's name has. */
  private static String fileName(String job) {
    String safe = job.replaceAll("[^\\p{L}\\p{N}._-]", "_");
    return safe.substring(0, Math.min(MAX_FILE_NAME, safe.length())) + ".trace.json";
  }
}

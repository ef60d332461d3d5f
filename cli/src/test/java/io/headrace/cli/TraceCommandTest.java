package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The trace of an element on processes of a dispatcher and a worker. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class TraceCommandTest {
  @TempDir Path directory = Path.of("");

  private final ServiceProcesses service = new ServiceProcesses();

  @BeforeEach
  void start() throws IOException {
    service.start();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  /** Traces an element of a job named "training", which is read meanwhile. */
  static CommandRun traceOfTraining(ServiceProcesses service, String... more) {
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    CompletableFuture<Boolean> ended;
    CommandRun run;
    try (ElementIterator reading =
        Dataset.range(100_000_000)
            .map(x -> x.mul(2))
            .batch(2)
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("training"),
                    service.target()))
            .iterator()) {
      ended =
          CompletableFuture.supplyAsync(() -> {
            while (reading.hasNext()) {
              var _ = reading.next();
              begun.complete(true);
            }
            return true;
          });
      begun.join();
      run =
          trace(
              service,
              Stream.concat(Stream.of("training", "--deadline-ms=100000"), Stream.of(more))
                  .toArray(String[]::new));
    }
    assertThat(ended.handle((_, _) -> true).join()).isTrue();
    return run;
  }

  /** With all the time that a slow machine may need. */
  private static CommandRun trace(ServiceProcesses service, String... more) {
    return CommandRun.of(
        Stream.concat(
                Stream.of("trace", "--dispatcher=" + service.dispatcher(), "--timeout-ms=200000"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void elementOfAJob_isWrittenToAFile() throws IOException {
    Path file = directory.resolve("training.json");

    CommandRun run = traceOfTraining(service, "--output=" + file);

    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(run.out().lines())
        .anySatisfy(
            line -> assertThat(line).isEqualTo(file + " is written; ui.perfetto.dev opens it"))
        .anySatisfy(line -> assertThat(line).startsWith("worker " + service.worker()))
        .anySatisfy(line -> assertThat(line).startsWith("reader "));
    List<JsonObject> events = events(file);
    assertThat(events)
        .allSatisfy(event -> assertThat(event.keySet()).contains("ph", "ts", "pid", "tid", "name"));
    assertThat(events)
        .extracting(event -> event.get("name").getAsString())
        .contains(
            "process_name",
            "is made",
            "in the worker's buffer",
            "written to the stream",
            "in the reader's buffer",
            "is handed over");
  }

  /** The file's trace events. */
  static List<JsonObject> events(Path file) throws IOException {
    JsonObject all = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    return StreamSupport.stream(all.getAsJsonArray("traceEvents").spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .toList();
  }

  @Test
  void jobThatIsNotThere_isNamed() {
    CommandRun run = trace(service, "nothing");

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .hasLineCount(1)
        .contains("no job has the name or id \"nothing\"; headrace status lists the jobs");
  }

  @Test
  void deadlineBeyondTenMinutes_isRefused() {
    CommandRun run = trace(service, "training", "--deadline-ms=600001");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("--deadline-ms must be at most 600000");
  }
}

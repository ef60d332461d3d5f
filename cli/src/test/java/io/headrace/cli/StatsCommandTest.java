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
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The statistics of jobs on processes of a dispatcher and a worker. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class StatsCommandTest {
  private static final int SIDE = 300;

  private final ServiceProcesses service = new ServiceProcesses();

  @BeforeEach
  void start() throws IOException {
    service.start();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private ElementIterator read(Dataset dataset, String job) {
    DistributeOptions options = DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName(job);
    return dataset.apply(DataService.distribute(options, service.target())).iterator();
  }

  /** Numbers that take some milliseconds each. */
  private static Dataset expensive() {
    return Dataset.range(1_000_000).map(StatsCommandTest::products).batch(2).prefetch(2);
  }

  private static Output products(Output x) {
    Output matrix =
        Ops.fill(Ops.constant(Tensor.vector(SIDE, SIDE)), x.cast(DataType.FLOAT32).mul(1e-9));
    for (int i = 0; i < 10; i++) {
      matrix = matrix.matmul(matrix);
    }
    return matrix.sum(0, 1);
  }

  /** With all the time that a slow machine may need. */
  private CommandRun stats(String... more) {
    return CommandRun.of(
        Stream.concat(
                Stream.of("stats", "--dispatcher=" + service.dispatcher(), "--timeout-ms=200000"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  /** The first statistics with a verdict, and with stages, of a job that begins meanwhile. */
  private JsonObject measured(String job) {
    while (true) {
      CommandRun run = stats(job, "--json");
      if (run.status() != 0) {
        assertThat(run.err()).contains("no job has the name or id");
        continue;
      }
      JsonObject statistics = JsonParser.parseString(run.out()).getAsJsonObject();
      if (!verdict(statistics, "code").equals("measuring") && !stages(statistics).isEmpty()) {
        return statistics;
      }
    }
  }

  private static String verdict(JsonObject statistics, String field) {
    JsonElement value = statistics.getAsJsonObject("verdict").get(field);
    return value == null ? "" : value.getAsString();
  }

  private static List<String> stages(JsonObject statistics) {
    return StreamSupport.stream(statistics.getAsJsonArray("stages").spliterator(), false)
        .map(stage -> stage.getAsJsonObject().get("name").getAsString())
        .toList();
  }

  @Test
  void slowMap_isNamed() throws IOException {
    CompletableFuture<Long> trainer;
    JsonObject statistics;
    CommandRun text;
    CommandRun onlyOne;
    try (ElementIterator reading = read(expensive(), "training")) {
      trainer =
          CompletableFuture.supplyAsync(() -> {
            long taken = 0;
            while (reading.hasNext()) {
              var _ = reading.next();
              taken++;
            }
            return taken;
          });
      statistics = measured("training");
      text = stats("training");
      onlyOne = stats();
    }

    assertThat(trainer.handle((_, _) -> true).join()).isTrue();
    assertThat(verdict(statistics, "code")).as(statistics.toString()).isEqualTo("stage");
    assertThat(verdict(statistics, "stage")).startsWith("Map");
    assertThat(verdict(statistics, "worker")).isEqualTo(service.worker());
    assertThat(Double.parseDouble(verdict(statistics, "wait_share"))).isGreaterThan(0.3);
    assertThat(stages(statistics)).containsExactly("Prefetch", "BatchV2", "Map", "Range");
    assertThat(onlyOne.out()).startsWith("job ").contains(" (training), ");
    assertThat(text.status()).isZero();
    assertThat(text.err()).isEmpty();
    assertThat(text.out().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80))
        .anySatisfy(line -> assertThat(line).startsWith("verdict: readers wait "))
        .anySatisfy(line -> assertThat(line).matches("Map\\S* .*##########.*"));
  }

  @Test
  void jobIsNeeded_unlessThereIsOne() throws IOException {
    CommandRun none = stats();
    CommandRun several;
    try (ElementIterator first = read(Dataset.range(1_000_000), "first");
        ElementIterator second = read(Dataset.range(1_000_000), "second")) {
      var _ = first.next();
      var _ = second.next();
      several = stats();
    }

    assertThat(none.status()).isEqualTo(1);
    assertThat(none.err()).hasLineCount(1).contains("the dispatcher has no job");
    assertThat(several.status()).isEqualTo(2);
    assertThat(several.err()).hasLineCount(1).contains("several jobs: second, first");
  }

  @Test
  void slowTrainer_isTheLimit() throws IOException {
    try (ElementIterator reading = read(Dataset.range(1_000_000), "training")) {
      // It computes for as long as the test looks at it.
      var _ = reading.next();

      JsonObject statistics = measured("training");
      // The read's beginning, in which it waited, leaves the window of the statistics meanwhile.
      long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      while (!verdict(statistics, "code").equals("trainer") && System.nanoTime() < deadline) {
        statistics = measured("training");
      }

      assertThat(verdict(statistics, "code")).as(statistics.toString()).isEqualTo("trainer");
      assertThat(verdict(statistics, "advice")).contains("the trainer's own step");
      assertThat(stages(statistics)).containsExactly("Range");
    }
  }

  @Test
  void top_notOnATerminal_hasALineForTheJob_eachTime() throws IOException {
    try (ElementIterator reading = read(Dataset.range(1_000_000), "training")) {
      var _ = reading.next();

      CommandRun run =
          CommandRun.of(
              "top",
              "--dispatcher=" + service.dispatcher(),
              "--timeout-ms=200000",
              "--times=2",
              "--interval-ms=1");

      assertThat(run.err()).isEmpty();
      assertThat(run.out().lines())
          .hasSize(2)
          .allSatisfy(line -> assertThat(line).matches("job \\d+ \\(training\\): .* \\[\\w+\\]"));
    }
  }

  @Test
  void jobThatIsNotThere_isNamed() {
    CommandRun run = stats("nothing");

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .hasLineCount(1)
        .contains("no job has the name or id \"nothing\"; headrace status lists the jobs");
  }
}

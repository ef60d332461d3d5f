package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The work of operators, on processes of a dispatcher and two workers with a reader. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class OperationsCommandTest {
  private static final int ROWS = 200_000;

  @TempDir Path directory = Path.of("");

  private final List<HeadraceProcess> processes = new ArrayList<>();
  private String dispatcher = "";

  @BeforeEach
  void start() throws IOException {
    HeadraceProcess first =
        HeadraceProcess.start("dispatcher", "--fault-tolerant-mode", "--work-dir=" + directory);
    processes.add(first);
    dispatcher = "localhost:" + first.awaitReady();
  }

  @AfterEach
  void stop() {
    processes.forEach(HeadraceProcess::close);
  }

  /** Starts a worker; returns its address. */
  private String startWorker() throws IOException {
    HeadraceProcess worker = HeadraceProcess.start("worker", "--dispatcher-address=" + dispatcher);
    processes.add(worker);
    return "localhost:" + worker.awaitReady();
  }

  private CommandRun run(String command, String... more) {
    return CommandRun.of(
        Stream.concat(
                Stream.of(command, "--dispatcher=" + dispatcher, "--timeout-ms=200000"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  private JsonArray list(String name) {
    JsonObject status = JsonParser.parseString(run("status", "--json").out()).getAsJsonObject();
    return status.getAsJsonArray(name);
  }

  private ElementIterator read(String job) {
    DistributeOptions options = DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName(job);
    return Dataset.range(ROWS)
        .apply(DataService.distribute(options, "grpc://" + dispatcher))
        .iterator();
  }

  @Test
  void drain_endsTheWorkersProcess_andItsReaderGetsEveryElementOnce()
      throws IOException, InterruptedException {
    String first = startWorker();
    String second = startWorker();
    List<Long> got = new ArrayList<>();
    CommandRun drained;
    try (ElementIterator reading = read("training")) {
      for (int i = 0; i < 100; i++) {
        got.add(reading.next().asLong());
      }
      drained = run("drain", first, "--wait");
      reading.forEachRemaining(element -> got.add(element.asLong()));
    }

    assertThat(drained.err()).isEmpty();
    assertThat(drained.status()).isZero();
    assertThat(drained.out())
        .contains("worker " + first + " leaves, with 1 task")
        .contains("worker " + first + " is drained");
    CommandRun ended = processes.get(1).awaitEnd();
    assertThat(ended.status()).isZero();
    assertThat(ended.err()).contains("an operator drains this worker");
    assertThat(list("workers"))
        .singleElement()
        .matches(of -> of.getAsJsonObject().get("address").getAsString().equals(second));
    assertThat(got.stream().sorted().toList())
        .isEqualTo(LongStream.range(0, ROWS).boxed().toList());
  }

  @Test
  void end_failsTheReader_whichIsToldWhy_andFreesTheName() throws IOException {
    var _ = startWorker();
    try (ElementIterator reading = read("training")) {
      var _ = reading.next();

      CommandRun ended = run("end", "training");

      assertThat(ended.status()).isZero();
      assertThat(ended.out()).contains("(training) has ended, with 1 readers and 1 tasks");
      assertThatThrownBy(() -> reading.forEachRemaining(_ -> {}))
          .isInstanceOf(StatusException.class)
          .hasMessageContaining("(training) was ended by an operator");
    }
    assertThat(list("jobs")).isEmpty();
    try (ElementIterator reading = read("training")) {
      assertThat(reading.hasNext()).isTrue();
    }
  }

  @Test
  void forget_takesAReaderOrADataset() throws IOException {
    var _ = startWorker();
    String unused = DataService.registerDataset("grpc://" + dispatcher, Dataset.range(3));
    try (ElementIterator reading = read("training")) {
      var _ = reading.next();
      long reader = list("readers").get(0).getAsJsonObject().get("id").getAsLong();

      assertThat(run("forget", "--reader=" + reader).out()).contains("0 readers are left");
      assertThat(run("forget", "--dataset-id=" + unused).out()).contains("is forgotten");

      assertThat(list("readers")).isEmpty();
      assertThat(list("datasets")).hasSize(1);
      assertThat(run("forget", "--reader=" + reader).err()).contains("there is no reader");
    }
  }

  @Test
  void operations_outliveTheDispatcher_andTheJournalTellsThem()
      throws IOException, InterruptedException {
    var _ = startWorker();
    try (ElementIterator reading = read("training")) {
      var _ = reading.next();
      assertThat(run("end", "training").status()).isZero();
    }
    assertThat(processes.getFirst().terminate().awaitEnd().status()).isZero();

    CommandRun verified = CommandRun.of("journal", "verify", "--work-dir=" + directory);
    CommandRun dumped = CommandRun.of("journal", "dump", "--work-dir=" + directory, "--json");

    assertThat(verified.err()).isEmpty();
    assertThat(verified.out())
        .contains("is whole: ")
        .contains("opened once")
        .contains("1 workers, 1 datasets, 0 jobs, 0 unfinished iterations, 0 readers");
    List<JsonObject> records =
        dumped.out().lines().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
    assertThat(records.getFirst().get("number").getAsLong()).isEqualTo(1);
    assertThat(records)
        .anyMatch(record -> record.has("job_forgotten"))
        .filteredOn(record -> record.has("client_released"))
        .extracting(record -> record.getAsJsonObject("client_released").get("reason").getAsString())
        .singleElement()
        .asString()
        .contains("was ended by an operator");
  }

  @Test
  void journalOfARunningDispatcher_isNotRead() {
    CommandRun verified = CommandRun.of("journal", "verify", "--work-dir=" + directory);

    assertThat(verified.status()).isEqualTo(1);
    assertThat(verified.err()).hasLineCount(1).contains("is in use by another dispatcher");
  }

  @Test
  void explain_showsThePlanOfARegisteredDataset() {
    String id =
        DataService.registerDataset("grpc://" + dispatcher, Dataset.range(8).map(x -> x.mul(2)));

    CommandRun text = run("explain", id);
    CommandRun json = run("explain", id, "--json");

    assertThat(text.err()).isEmpty();
    assertThat(text.out())
        .contains("dataset " + id)
        .containsPattern(
            "map\\(\\) OperationsCommandTest:\\d+ \\{ Mul \\} +int64\\[\\]  -- rows together, as"
                + " columns")
        .contains("source:  8 splits")
        .containsPattern("dynamic: +workers take splits")
        .contains("exactly once");
    JsonObject plan = JsonParser.parseString(json.out()).getAsJsonObject();
    assertThat(plan.getAsJsonArray("shardings")).hasSize(6);
    assertThat(plan.get("dataset_id").getAsString()).isEqualTo(id);
  }

  @Test
  void workerThatIsNotThere_isNamed() {
    CommandRun run = run("drain", "localhost:1");

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).hasLineCount(1).contains("no worker is registered at \"localhost:1\"");
  }
}

package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The status of a dispatcher process with a worker process and a reader. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class StatusCommandTest {
  @TempDir Path directory = Path.of("");

  private final ServiceProcesses service = new ServiceProcesses();

  @BeforeEach
  void start() throws IOException {
    service.start("--fault-tolerant-mode", "--work-dir=" + directory);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private ElementIterator read(String job) {
    DistributeOptions options = DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName(job);
    ElementIterator reading =
        Dataset.range(1000).apply(DataService.distribute(options, service.target())).iterator();
    for (int i = 0; i < 10; i++) {
      var _ = reading.next();
    }
    return reading;
  }

  private CommandRun status(String... more) {
    return statusOf(service.dispatcher(), more);
  }

  /** The status of another address, with all the time that a slow machine may need. */
  private static CommandRun statusOf(String address, String... more) {
    return CommandRun.of(
        Stream.concat(
                Stream.of("status", "--dispatcher=" + address, "--timeout-ms=200000"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void status_hasTheWorkerTheJobAndItsReader_inLinesForATerminal() throws IOException {
    try (ElementIterator _ = read("training")) {
      CommandRun run = status();

      assertThat(run.status()).isZero();
      assertThat(run.err()).isEmpty();
      assertThat(run.out().lines())
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100))
          .anySatisfy(line ->
              assertThat(line).startsWith("dispatcher").contains(port(service.dispatcher())))
          .anySatisfy(line -> assertThat(line).startsWith("journal").contains(directory.toString()))
          .anySatisfy(
              line -> assertThat(line).matches(service.worker() + " +headrace +registered .* 1 .*"))
          .anySatisfy(
              line -> assertThat(line).matches("\\d+ +training +dynamic +exactly .*/1000.*"))
          .anySatisfy(line -> assertThat(line).matches("\\d+ .* headrace +loopback +connected .*"));
    }
  }

  @Test
  void json_hasTheFieldsOfTheProtocol_withNumbersAsNumbers() throws IOException {
    try (ElementIterator _ = read("training")) {
      CommandRun run = status("--json");

      assertThat(run.status()).isZero();
      JsonObject json = JsonParser.parseString(run.out()).getAsJsonObject();
      JsonObject of = json.getAsJsonObject("dispatcher");
      assertThat(of.get("workers").getAsJsonPrimitive().isNumber()).isTrue();
      assertThat(of.get("workers").getAsLong()).isEqualTo(1);
      assertThat(of.get("fault_tolerant").getAsBoolean()).isTrue();
      assertThat(of.get("work_dir").getAsString()).isEqualTo(directory.toString());
      assertThat(of.get("last_commit_micros").getAsLong()).isPositive();
      JsonObject job = json.getAsJsonArray("jobs").get(0).getAsJsonObject();
      assertThat(job.get("name").getAsString()).isEqualTo("training");
      assertThat(job.get("guarantee").getAsString()).isEqualTo("EXACTLY_ONCE");
      JsonObject pass = job.getAsJsonArray("iterations").get(0).getAsJsonObject();
      assertThat(pass.get("splits").getAsLong()).isEqualTo(1000);
      assertThat(pass.get("splits_handed_out").getAsLong()).isBetween(10L, 1000L);
      assertThat(
              json.getAsJsonArray("readers").get(0).getAsJsonObject().get("watches").getAsBoolean())
          .isTrue();
      assertThat(json.get("workers_left_out").getAsLong()).isZero();
    }
  }

  @Test
  void reader_reportsTheElementsThatItsUserTook() throws IOException {
    try (ElementIterator _ = read("training")) {
      JsonObject reader;
      do {
        reader =
            JsonParser.parseString(status("--json").out())
                .getAsJsonObject()
                .getAsJsonArray("readers")
                .get(0)
                .getAsJsonObject();
      } while (!reader.has("elements") || reader.get("elements").getAsLong() < 10);

      // Rows of the chunk that the user is at count, too.
      assertThat(reader.get("elements").getAsLong()).isLessThanOrEqualTo(1000);
      assertThat(reader.get("wait_ms").getAsLong()).isPositive();
      assertThat(reader.get("kind").getAsString()).isEqualTo("HEADRACE");
    }
  }

  @Test
  void limit_boundsTheLists_andSaysSo() throws IOException {
    for (int i = 0; i < 3; i++) {
      DataService.registerDataset(service.target(), Dataset.range(i));
    }

    assertThat(status("--limit=2").out()).contains("datasets: 3, 2 of them here (--limit)");
    JsonObject json = JsonParser.parseString(status("--json", "--limit=2").out()).getAsJsonObject();
    assertThat(json.getAsJsonArray("datasets")).hasSize(2);
    assertThat(json.get("datasets_left_out").getAsLong()).isEqualTo(1);
  }

  @Test
  void watch_notOnATerminal_isALineASecond() throws IOException, InterruptedException {
    try (HeadraceProcess watching =
        HeadraceProcess.start(
            "status", "--dispatcher=" + service.dispatcher(), "--timeout-ms=200000", "--watch")) {
      watching.awaitStep("1 worker (0 lost)");
      watching.awaitStep("1 worker (0 lost)");

      assertThat(watching.terminate().awaitEnd().status()).isEqualTo(143);
    }
  }

  @Test
  void worker_isRefusedAsNoDispatcher() {
    CommandRun run = statusOf(service.worker());

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).hasLineCount(1).contains("is no Headrace dispatcher");
  }

  @Test
  void nobodyThere_failsInOneLine() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    CommandRun run = statusOf("localhost:" + free);

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).hasLineCount(1).contains("no dispatcher answers at localhost:" + free);
  }

  @Test
  void serverThatSaysNothing_failsWhenTheTimeIsOver() throws IOException {
    try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CommandRun run =
          CommandRun.of(
              "status", "--dispatcher=127.0.0.1:" + mute.getLocalPort(), "--timeout-ms=300");

      assertThat(run.status()).isEqualTo(1);
      assertThat(run.err()).hasLineCount(1).contains("did not answer within 300 ms");
    }
  }

  private static String port(String address) {
    return address.substring(address.lastIndexOf(':'));
  }
}

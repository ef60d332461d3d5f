package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headrace.rpc.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Metrics of processes that send them to a receiver of OpenTelemetry's protocol. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class OtlpExportTest {
  private final BlockingQueue<Export> exports = new LinkedBlockingQueue<>();

  /** Exports that are refused. */
  private final AtomicInteger refused = new AtomicInteger();

  private final CountDownLatch hanging = new CountDownLatch(1);
  private final HttpServer receiver = receiver();

  /** A request, in part. */
  private record Export(
      String path, String type, Map<String, String> attributes, Set<String> metrics) {
    static Export of(HttpExchange request) throws IOException {
      UnknownFieldSet.Field all = field(parse(request.getRequestBody().readAllBytes()), 1);
      UnknownFieldSet ofResource = parse(all.getLengthDelimitedList().getFirst().toByteArray());
      return new Export(
          request.getRequestURI().getPath(),
          request.getRequestHeaders().getFirst("Content-Type"),
          messages(ofResource, 1)
              .flatMap(resource -> messages(resource, 1))
              .collect(
                  Collectors.toMap(
                      pair -> text(pair, 1),
                      pair -> text(messages(pair, 2).findFirst().orElseThrow(), 1))),
          messages(ofResource, 2)
              .flatMap(scope -> messages(scope, 2))
              .map(metric -> text(metric, 1))
              .collect(Collectors.toSet()));
    }

    private static UnknownFieldSet parse(byte[] message) {
      try {
        return UnknownFieldSet.parseFrom(message);
      } catch (InvalidProtocolBufferException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static UnknownFieldSet.Field field(UnknownFieldSet of, int number) {
      return of.getField(number);
    }

    private static Stream<UnknownFieldSet> messages(UnknownFieldSet of, int number) {
      return field(of, number).getLengthDelimitedList().stream()
          .map(bytes -> parse(bytes.toByteArray()));
    }

    private static String text(UnknownFieldSet of, int number) {
      return field(of, number).getLengthDelimitedList().getFirst().toStringUtf8();
    }
  }

  private HttpServer receiver() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.createContext("/", this::receive);
      server.createContext("/hanging", _ -> hanging.countDown());
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void receive(HttpExchange request) throws IOException {
    Export export = Export.of(request);
    boolean takes = refused.getAndDecrement() <= 0;
    if (takes) {
      exports.add(export);
    }
    request.sendResponseHeaders(takes ? 200 : 503, -1);
    request.close();
  }

  private String endpoint() {
    return "--otlp-endpoint=http://127.0.0.1:" + receiver.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
  }

  @Test
  void dispatcher_sendsItsMetrics_againAndAgain() throws IOException, InterruptedException {
    try (HeadraceProcess dispatcher =
        HeadraceProcess.start(
            "dispatcher", endpoint(), "--otlp-interval-ms=50", "--otlp-attributes=host.name=h1")) {
      var _ = dispatcher.awaitReady();
      Export export = exports.take();
      while (!export.metrics().contains("headrace.jobs")) {
        export = exports.take();
      }

      assertThat(export.path()).isEqualTo("/v1/metrics");
      assertThat(export.type()).isEqualTo("application/x-protobuf");
      assertThat(export.attributes())
          .contains(entry("service.name", "headrace-dispatcher"), entry("host.name", "h1"))
          .containsKeys("service.version", "service.instance.id");
      assertThat(export.metrics())
          .contains("headrace.answers", "headrace.uptime", "jvm.memory.used")
          .noneMatch(name -> name.startsWith("grpc."));
      assertThat(exports.take().attributes()).isEqualTo(export.attributes());
    }
  }

  @Test
  void worker_sendsItsMetrics_onceMore_whenItIsStopped() throws IOException, InterruptedException {
    try (HeadraceProcess dispatcher = HeadraceProcess.start("dispatcher");
        HeadraceProcess worker =
            HeadraceProcess.start(
                "worker",
                "--dispatcher-address=localhost:" + dispatcher.awaitReady(),
                endpoint(),
                "--otlp-interval-ms=3600000",
                "--grpc-metrics")) {
      var _ = worker.awaitReady();
      assertThat(exports).isEmpty();

      CommandRun run = worker.terminate().awaitEnd();

      assertThat(run.status()).isZero();
      Export export = exports.take();
      assertThat(export.attributes()).contains(entry("service.name", "headrace-worker"));
      assertThat(export.metrics())
          .contains("headrace.worker.registered", "grpc.server.call.started");
      assertThat(exports).isEmpty();
    }
  }

  @Test
  void receiverThatRefuses_costsOneWarning_andIsTriedAgain() throws IOException {
    refused.set(20);
    try (HeadraceProcess dispatcher =
        HeadraceProcess.start("dispatcher", endpoint(), "--otlp-interval-ms=10")) {
      String to = "exported to http://127.0.0.1:" + receiver.getAddress().getPort() + "/v1/metrics";

      assertThat(dispatcher.awaitErrorAfter("metrics are "))
          .isEqualTo(
              "not " + to + ", which is tried again every 10 ms: it answered with status 503");
      assertThat(dispatcher.awaitErrorAfter("metrics are ")).isEqualTo(to + " again");
    }
  }

  @Test
  void receiverThatIsNotThere_costsAWarning_andNothingWaitsForIt()
      throws IOException, InterruptedException {
    int nobody = FreePort.find(RandomGenerator.getDefault());
    try (HeadraceProcess dispatcher =
        HeadraceProcess.start(
            "dispatcher",
            "--otlp-endpoint=http://127.0.0.1:" + nobody + "/base/",
            "--otlp-interval-ms=10")) {
      assertThat(dispatcher.awaitErrorAfter("metrics are not exported to "))
          .startsWith("http://127.0.0.1:" + nobody + "/base/v1/metrics, which is tried again")
          .contains("ConnectException");

      CommandRun run = dispatcher.terminate().awaitEnd();

      assertThat(run.status()).isZero();
      assertThat(run.err()).doesNotContain("exported").doesNotContain("Exception");
    }
  }

  @Test
  void receiverThatNeverAnswers_doesNotHoldTheProcess() throws IOException, InterruptedException {
    try (HeadraceProcess dispatcher =
        HeadraceProcess.start("dispatcher", endpoint() + "/hanging", "--otlp-interval-ms=10")) {
      var _ = dispatcher.awaitReady();
      hanging.await();

      assertThat(dispatcher.terminate().awaitEnd().status()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--otlp-endpoint=collector:4318 | --otlp-endpoint must be http://HOST:PORT, not"
            + " collector:4318",
        "--otlp-endpoint=http:// | --otlp-endpoint must be http://HOST:PORT, not http://",
        "--otlp-endpoint=http://h/?a=b | --otlp-endpoint must be http://HOST:PORT, not"
            + " http://h/?a=b",
        "--otlp-interval-ms=5 | --otlp-interval-ms goes with --otlp-endpoint only",
        "--otlp-attributes=a=b | --otlp-attributes goes with --otlp-endpoint only",
        "--grpc-metrics | --grpc-metrics goes with --http-port or --otlp-endpoint only",
      })
  void flagThatMakesNoSense_isRefusedInOneLine(String flag, String reason) {
    CommandRun run = CommandRun.of("dispatcher", flag);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).isEqualTo("headrace dispatcher: " + reason + "\n");
  }
}

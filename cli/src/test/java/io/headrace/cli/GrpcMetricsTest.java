package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.stub.ClientCalls;
import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.rpc.GrpcChannels;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** gRPC's own metrics of processes of a dispatcher and a worker. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class GrpcMetricsTest {
  private static final String LOGGED = "pages and metrics are at ";
  private static final Pattern ROW =
      Pattern.compile("^\\| `(grpc_\\w+)` \\| (\\w+) \\|", Pattern.MULTILINE);

  private HeadraceProcess first;
  private HeadraceProcess second;
  private String dispatcher = "";
  private String pages = "";
  private String workerPages = "";

  @BeforeEach
  void start() throws IOException {
    first = HeadraceProcess.start("dispatcher", "--http-port=0", "--grpc-metrics");
    pages = first.awaitErrorAfter(LOGGED);
    dispatcher = "localhost:" + first.awaitReady();
    second =
        HeadraceProcess.start(
            "worker", "--dispatcher-address=" + dispatcher, "--http-port=0", "--grpc-metrics");
    workerPages = second.awaitErrorAfter(LOGGED);
    var _ = second.awaitReady();
  }

  @AfterEach
  void stop() {
    second.close();
    first.close();
  }

  private static String metrics(String pages) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(pages + "metrics")).build(),
              BodyHandlers.ofString())
          .body();
    }
  }

  private void read() {
    DistributeOptions options = DistributeOptions.of(ProcessingMode.DYNAMIC);
    try (ElementIterator reading =
        Dataset.range(1000)
            .apply(DataService.distribute(options, "grpc://" + dispatcher))
            .iterator()) {
      while (reading.hasNext()) {
        var _ = reading.next();
      }
    }
  }

  @Test
  void eachMetricOfThePage_isThere() throws IOException, InterruptedException {
    read();
    List<MatchResult> rows = ROW.matcher(CommandRun.of("metrics").out()).results().toList();
    assertThat(rows).hasSize(9);

    for (String text : List.of(metrics(pages), metrics(workerPages))) {
      assertThat(rows)
          .allSatisfy(row ->
              assertThat(text).contains("# TYPE %s %s\n".formatted(row.group(1), row.group(2))));
    }
  }

  @Test
  void calls_areCountedByMethod_onBothSides() throws IOException, InterruptedException {
    read();

    assertThat(metrics(pages))
        .contains(
            "grpc_server_call_started_total"
                + "{grpc_method=\"tensorflow.data.DispatcherService/GetOrRegisterDataset\"} 1.0\n")
        .contains(
            "grpc_server_call_duration_seconds_count{grpc_method="
                + "\"tensorflow.data.DispatcherService/GetOrRegisterDataset\",grpc_status=\"OK\"}"
                + " 1\n");
    assertThat(metrics(workerPages))
        .contains(
            "grpc_server_call_started_total{grpc_method=\"headrace.ElementStream/ReadTask\"} ")
        .containsPattern(
            "grpc_client_attempt_started_total\\{grpc_method="
                + "\"headrace.DispatcherExtensions/ExtendedWorkerHeartbeat\",grpc_target=\"[^\"]*"
                + dispatcher
                + "\"}");
  }

  @Test
  void methodsThatAreNotThere_areOne() throws IOException, InterruptedException {
    ManagedChannel channel = GrpcChannels.open(dispatcher);
    for (int i = 0; i < 100; i++) {
      MethodDescriptor<GetVersionRequest, ?> unknown =
          DispatcherServiceGrpc.getGetVersionMethod().toBuilder()
              .setFullMethodName("no.Such/Method" + i)
              .setType(MethodType.UNARY)
              .build();
      assertThatThrownBy(() ->
              ClientCalls.blockingUnaryCall(
                  channel, unknown, CallOptions.DEFAULT, GetVersionRequest.getDefaultInstance()))
          .hasMessageContaining("UNIMPLEMENTED");
    }
    GrpcChannels.close(channel);

    String all;
    do {
      all = metrics(pages);
      assertThat(all).doesNotContain("no.Such");
    } while (!all.contains("{grpc_method=\"other\",grpc_status=\"UNIMPLEMENTED\"} 100\n"));
  }

  @Test
  void flag_withoutAnybodyToTell_isRefused() {
    CommandRun run = CommandRun.of("dispatcher", "--grpc-metrics");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("--grpc-metrics goes with --http-port");
  }
}

package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.rpc.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The metrics of processes that a stock client reads from. */
final class MetricsTest {
  private static final int N = 5000;

  private final Servers servers = new Servers();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void stopServers() {
    servers.close();
  }

  /** The value of a series; 0 without it. */
  private double metric(int port, String series) throws IOException, InterruptedException {
    String text =
        http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
                BodyHandlers.ofString())
            .body();
    Matcher found =
        Pattern.compile("^" + Pattern.quote(series) + " (\\S+)$", Pattern.MULTILINE).matcher(text);
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }

  @Test
  void rowsThatAStockClientCounts_areThoseOfItsWorker() throws IOException, InterruptedException {
    int pages = FreePort.find(new Random());
    int workerPages = FreePort.find(new Random());
    String dispatcher = servers.startHeadraceDispatcher("--http-port=" + pages);
    servers.startHeadraceWorker(dispatcher, "--http-port=" + workerPages);
    ManagedProcess client = servers.startCounting(dispatcher, N);
    client.awaitLine("reading", 180);
    assertThat(metric(pages, "headrace_readers")).isEqualTo(1);

    assertThat(client.awaitLine("end", 300)).isEqualTo(" " + N + " " + N);

    assertThat(metric(workerPages, "headrace_worker_rows_total")).isEqualTo(N);
    assertThat(metric(workerPages, "headrace_worker_stage_rows_total{stage=\"Range\"}"))
        .isGreaterThanOrEqualTo(N);
    assertThat(metric(pages, "headrace_workers{state=\"registered\"}")).isEqualTo(1);
    assertThat(metric(pages, "headrace_answers")).isEqualTo(1);
  }
}

package io.headrace.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
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
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Pages, JSON and metrics of processes of a dispatcher and a worker. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class WebPagesTest {
  private static final String LOGGED = "pages and metrics are at ";
  private static final int ELEMENTS = 20_000;

  private final HttpClient http = HttpClient.newHttpClient();
  private AutoCloseable processes = () -> {};
  private String dispatcher = "";
  private String pages = "";
  private String workerPages = "";

  @BeforeEach
  void start() throws IOException {
    HeadraceProcess first = HeadraceProcess.start("dispatcher", "--http-port=0");
    processes = first;
    pages = first.awaitErrorAfter(LOGGED);
    dispatcher = "localhost:" + first.awaitReady();
    HeadraceProcess second =
        HeadraceProcess.start("worker", "--dispatcher-address=" + dispatcher, "--http-port=0");
    processes = () -> Stream.of(first, second).forEach(HeadraceProcess::close);
    workerPages = second.awaitErrorAfter(LOGGED);
    var _ = second.awaitReady();
  }

  @AfterEach
  void stop() throws Exception {
    processes.close();
  }

  private HttpResponse<String> get(String url) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
  }

  private JsonObject json(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = get(pages + path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JsonParser.parseString(answer.body()).getAsJsonObject();
  }

  /** The value of a series; 0 without it. */
  private double metric(String at, String series) throws IOException, InterruptedException {
    Matcher found =
        Pattern.compile("^" + Pattern.quote(series) + " (\\S+)$", Pattern.MULTILINE)
            .matcher(get(at + "metrics").body());
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }

  private long readAll() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("training");
    long taken = 0;
    try (ElementIterator reading =
        Dataset.range(ELEMENTS)
            .map(x -> x.mul(2))
            .apply(DataService.distribute(options, "grpc://" + dispatcher))
            .iterator()) {
      while (reading.hasNext()) {
        var _ = reading.next();
        taken++;
      }
    }
    return taken;
  }

  @Test
  void rowsOfARead_areCountedByItsWorkerExactly() throws IOException, InterruptedException {
    assertThat(readAll()).isEqualTo(ELEMENTS);

    assertThat(metric(workerPages, "headrace_worker_rows_total")).isEqualTo(ELEMENTS);
    assertThat(metric(workerPages, "headrace_worker_stage_rows_total{stage=\"Range\"}"))
        .isGreaterThanOrEqualTo(ELEMENTS);
    assertThat(metric(pages, "headrace_workers{state=\"registered\"}")).isEqualTo(1);
    assertThat(metric(pages, "headrace_answers")).isEqualTo(1);
    assertThat(metric(pages, "headrace_journal_commit_seconds_count")).isPositive();
  }

  @Test
  void jobThatIsRead_hasStatisticsAHistoryAndMetrics() throws IOException, InterruptedException {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withJobName("my job/1");
    try (ElementIterator reading =
        Dataset.range(1_000_000_000)
            .apply(DataService.distribute(options, "grpc://" + dispatcher))
            .iterator()) {
      String rows = "headrace_reader_rows_total{job_name=\"my job/1\"}";
      JsonObject history;
      do {
        for (int i = 0; i < 1000; i++) {
          var _ = reading.next();
        }
        history = json("api/jobs/my%20job%2F1/history");
      } while (history.getAsJsonArray("readers").isEmpty()
          || history.getAsJsonArray("stages").isEmpty()
          || metric(pages, rows) == 0);

      assertThat(history.get("job_name").getAsString()).isEqualTo("my job/1");
      assertThat(history.getAsJsonArray("stages")).hasSize(1);
      assertThat(json("api/jobs/my%20job%2F1/statistics").getAsJsonObject("verdict").keySet())
          .contains("code", "text");
      assertThat(json("api/jobs/my%20job%2F1/plan").getAsJsonArray("stages")).isNotEmpty();
      assertThat(json("api/status?entries=1").getAsJsonArray("jobs")).hasSize(1);
      assertThat(metric(pages, "headrace_job_readers{job_name=\"my job/1\"}")).isEqualTo(1);
    }
  }

  @Test
  void pages_haveAllTheirFiles() throws IOException, InterruptedException {
    for (String page : new String[] {pages, workerPages}) {
      String html = get(page).body();
      Matcher files = Pattern.compile("(?:href|src)=\"(/page/[^\"]+)\"").matcher(html);
      int found = 0;
      while (files.find()) {
        assertThat(get(page + files.group(1).substring(1)).statusCode())
            .as(files.group(1))
            .isEqualTo(200);
        found++;
      }
      assertThat(found).isGreaterThanOrEqualTo(3);
    }
    assertThat(get(pages + "page/uplot/uPlot.esm.js").body()).contains("uPlot");
    assertThat(get(pages + "api/jobs/nothing/history").statusCode()).isEqualTo(404);
  }

  @Test
  void requestThatNeverEnds_isCutOff() throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), URI.create(pages).getPort())) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: local".getBytes(US_ASCII));

      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void flagsOfPages_withoutThePort_areRefused() {
    CommandRun run = CommandRun.of("dispatcher", "--http-hosts=feed.example");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("--http-hosts goes with --http-port only");
  }
}

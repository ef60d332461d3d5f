package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The trace of an element in Perfetto's own page, in Chromium. Not a part of the build: {@code
 * checks/run perfetto} fetches the page and runs this. A picture lies in {@code
 * cli/target/screenshots} afterwards.
 */
@Timeout(value = 10, unit = MINUTES)
final class TraceInPerfettoCheck {
  /** Runs a query in the page's trace processor: a list of rows, whose columns are texts. */
  private static final String QUERY =
      """
      (async () => {
        const found = await window.app.trace.engine.query(arguments[0]);
        const columns = found.columns();
        const rows = [];
        for (const row = found.iter({}); row.valid(); row.next()) {
          rows.push(columns.map((column) => String(row.get(column))));
        }
        return rows;
      })()\
      """;

  @TempDir private Path directory;

  @Test
  void traceOfAnElement_isShownWhole() throws IOException {
    Path file = directory.resolve("training.json");
    try (var service = new ServiceProcesses()) {
      service.start();
      assertThat(TraceCommandTest.traceOfTraining(service, "--output=" + file).status()).isZero();
    }
    List<JsonObject> events = TraceCommandTest.events(file);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/", SimpleFileServer.createFileHandler(Path.of(System.getProperty("perfetto", ""))));
    server.createContext("/traces/", SimpleFileServer.createFileHandler(directory));
    server.start();
    try (Browser browser =
        Browser.start(
            System.getProperty("chromium", "/usr/bin/chromium"),
            System.getProperty("chromedriver", "/usr/bin/chromedriver"))) {
      String root = "http://localhost:" + server.getAddress().getPort();
      browser.resize(1440, 900);
      browser.open(root + "/#!/?url=" + root + "/traces/training.json");
      browser.awaitScript("window.app && window.app.trace && window.app.trace.engine");
      browser.awaitScript("document.title.includes('training')");

      assertThat(rows(browser, "select name, value from stats where severity <> 'info' and value"))
          .as("what Perfetto could not read")
          .isEmpty();
      assertThat(
              rows(
                  browser,
                  "select s.name, s.dur / 1000, p.name, t.name from slice s"
                      + " join thread_track k on s.track_id = k.id join thread t using (utid)"
                      + " join process p using (upid) where s.dur > 0"))
          .containsExactlyInAnyOrderElementsOf(slices(events));
      assertThat(rows(browser, "select count() from flow")).containsExactly(List.of("1"));
      browser.await("body", "worker ");
      browser.await("body", "reader ");
      browser.screenshot("perfetto");
    } finally {
      server.stop(0);
    }
  }

  /** The file's slices that take time: name, microseconds, process, thread. */
  private static List<List<String>> slices(List<JsonObject> events) {
    return events.stream()
        .filter(event -> event.get("ph").getAsString().equals("X"))
        .filter(event -> event.get("dur").getAsLong() > 0)
        .map(event ->
            List.of(
                event.get("name").getAsString(),
                event.get("dur").getAsString(),
                named(events, event, "process_name"),
                named(events, event, "thread_name")))
        .toList();
  }

  /** The name of an event's process or thread. */
  private static String named(List<JsonObject> events, JsonObject event, String what) {
    return events.stream()
        .filter(other -> other.get("name").getAsString().equals(what))
        .filter(other -> other.get("pid").equals(event.get("pid")))
        .filter(other -> what.equals("process_name") || other.get("tid").equals(event.get("tid")))
        .map(other -> other.getAsJsonObject("args").get("name").getAsString())
        .findFirst()
        .orElseThrow();
  }

  private static List<List<String>> rows(Browser browser, String query) {
    if (browser.promised(QUERY, query) instanceof List<?> rows) {
      return rows.stream()
          .map(row -> ((List<?>) row).stream().map(String::valueOf).toList())
          .toList();
    }
    throw new AssertionError(query + " " + browser.promised(QUERY, query));
  }
}

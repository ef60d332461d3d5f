package io.headrace.emulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.time.SystemTicker;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/**
 * An emulator of Google Cloud Storage: a process of fake-gcs-server, which keeps objects in memory
 * and ends with {@link #close}. Thread-safe.
 */
public final class FakeGcsServer implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

  private final Process process;
  private final String endpoint;
  private final HttpClient client = HttpClient.newHttpClient();

  private FakeGcsServer(Process process, String endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /**
   * Starts an emulator on a free port of this host; downloads the program on first use.
   *
   * @throws IOException if the download fails, or the program does not start within 30 s
   */
  public static FakeGcsServer start() throws IOException, InterruptedException {
    String program = program();
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Process process =
        new ProcessBuilder(
                program,
                "-scheme=http",
                "-host=127.0.0.1",
                "-port=" + port,
                "-backend=memory",
                // Where a client continues an upload that it has begun.
                "-external-url=http://127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start();
    FakeGcsServer server = new FakeGcsServer(process, "http://127.0.0.1:" + port);
    server.awaitReady();
    return server;
  }

  /**
   * The path of the program, from {@code config/fake-gcs-server}, which downloads it if necessary.
   */
  private static String program() throws IOException, InterruptedException {
    Path root = Path.of("").toAbsolutePath();
    while (root.getParent() != null && !Files.exists(root.resolve("config/fake-gcs-server"))) {
      root = root.getParent();
    }
    Process script =
        new ProcessBuilder(root.resolve("config/fake-gcs-server").toString())
            .redirectError(Redirect.INHERIT)
            .start();
    String path = new String(script.getInputStream().readAllBytes(), UTF_8).strip();
    int status = script.waitFor();
    if (status != 0) {
      throw new IOException("config/fake-gcs-server ended with status " + status);
    }
    return path;
  }

  private void awaitReady() throws IOException, InterruptedException {
    long start = SystemTicker.INSTANCE.nanoTime();
    while (!isReady()) {
      if (!process.isAlive()
          || SystemTicker.INSTANCE.nanoTime() - start > START_TIMEOUT.toNanos()) {
        close();
        throw new IOException("fake-gcs-server did not start at " + endpoint);
      }
      Thread.sleep(20);
    }
  }

  private boolean isReady() throws InterruptedException {
    HttpRequest health =
        HttpRequest.newBuilder(URI.create(endpoint + "/_internal/healthcheck")).build();
    try {
      return client.send(health, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /** The base URL, {@code http://HOST:PORT}. */
  public String endpoint() {
    return endpoint;
  }

  /**
   * Creates a bucket; returns its name.
   *
   * @throws IOException if it can't be created
   */
  public String newBucket() throws IOException, InterruptedException {
    String bucket = "bucket-" + UUID.randomUUID();
    HttpRequest create =
        HttpRequest.newBuilder(URI.create(endpoint + "/storage/v1/b?project=none"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"name\":\"" + bucket + "\"}"))
            .build();
    HttpResponse<String> answer = client.send(create, BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException("no bucket was made: " + answer.body());
    }
    return bucket;
  }

  @Override
  public void close() {
    client.close();
    process.destroyForcibly();
  }
}

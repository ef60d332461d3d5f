package io.headrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy to Cloud Storage that forwards reads and forbids everything else, as for a read-only
 * account.
 */
final class ReadOnlyGcsProxy implements AutoCloseable {
  private static final byte[] FORBIDDEN =
      "{\"error\":{\"code\":403,\"message\":\"no storage.objects.create access\"}}".getBytes(UTF_8);

  private final String storage;
  private final HttpServer server;
  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicInteger refused = new AtomicInteger();

  private ReadOnlyGcsProxy(String storage, HttpServer server) {
    this.storage = storage;
    this.server = server;
  }

  /** A proxy to the storage at {@code endpoint}. */
  static ReadOnlyGcsProxy of(String endpoint) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ReadOnlyGcsProxy buckets = new ReadOnlyGcsProxy(endpoint, server);
    server.createContext("/", buckets::answer);
    server.start();
    return buckets;
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** The number of forbidden calls. */
  int refused() {
    return refused.get();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (exchange.getRequestMethod().equals("GET")) {
        passOn(exchange);
      } else {
        refused.incrementAndGet();
        send(exchange, 403, FORBIDDEN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void passOn(HttpExchange exchange) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(storage + exchange.getRequestURI())).build();
    HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
    send(exchange, response.statusCode(), response.body());
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    client.close();
  }
}

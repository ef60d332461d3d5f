package io.headrace.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** A proxy before a Cloud Storage emulator that injects network faults into requests. */
final class FaultProxy implements AutoCloseable {
  private static final Pattern NAME = Pattern.compile("\"name\"\\s*:\\s*\"([^\"]*)\"");
  private static final Set<String> NOT_FORWARDED =
      Set.of("host", "connection", "content-length", "transfer-encoding", "expect", "upgrade");

  private final HttpServer server;
  private final String target;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Queue<HttpRequest> late = new ConcurrentLinkedQueue<>();
  private volatile Function<Call, Fault> faults = _ -> Fault.NONE;

  /** The fault of a request. */
  enum Fault {
    NONE,
    /** Answers with the status, without carrying the request out. */
    ANSWER_403,
    ANSWER_429,
    ANSWER_503,
    /** Neither carries the request out nor answers. */
    NO_ANSWER,
    /** Carries the request out and does not answer. */
    DONE_BUT_NO_ANSWER,
    /** Carries the request out and closes the connection. */
    DONE_BUT_CUT,
    /** Carries the request out and answers with an error. */
    DONE_BUT_503,
    /** Does not answer, and carries the request out on {@link #deliverLate}. */
    LATER
  }

  /**
   * A request.
   *
   * @param method the HTTP method
   * @param object the name of the object; empty for a listing
   */
  record Call(String method, String object) {
    boolean isChange() {
      return !method.equals("GET");
    }

    boolean writes(String name) {
      return method.equals("POST") && object.endsWith(name);
    }
  }

  private FaultProxy(HttpServer server, String target) {
    this.server = server;
    this.target = target;
  }

  /** Starts a proxy that forwards to {@code target} without faults. */
  static FaultProxy start(String target) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    FaultProxy proxy = new FaultProxy(server, target);
    server.setExecutor(proxy.threads);
    server.createContext("/", proxy::handle);
    server.start();
    return proxy;
  }

  /** The location {@code location}, reached through this proxy. */
  GcsLocation before(GcsLocation location) {
    return new GcsLocation(
        location.bucket(), location.path(), "http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Sets the function that chooses each request's fault. */
  void faults(Function<Call, Fault> what) {
    faults = what;
  }

  /** Carries out the requests held back. */
  void deliverLate() throws IOException, InterruptedException {
    for (HttpRequest request = late.poll(); request != null; request = late.poll()) {
      var _ = client.send(request, BodyHandlers.ofByteArray());
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
    client.close();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      HttpRequest request = request(exchange, body);
      switch (faults.apply(call(exchange, body))) {
        case NONE -> answer(exchange, send(request));
        case ANSWER_403 -> answer(exchange, 403);
        case ANSWER_429 -> answer(exchange, 429);
        case ANSWER_503 -> answer(exchange, 503);
        case NO_ANSWER -> closed.await();
        case DONE_BUT_NO_ANSWER -> {
          var _ = send(request);
          closed.await();
        }
        case DONE_BUT_CUT -> {
          var _ = send(request);
        }
        case DONE_BUT_503 -> {
          var _ = send(request);
          answer(exchange, 503);
        }
        case LATER -> {
          late.add(request);
          closed.await();
        }
      }
    } catch (InterruptedException e) {
      // The proxy was closed.
      Thread.currentThread().interrupt();
    }
  }

  private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofByteArray());
  }

  private HttpRequest request(HttpExchange exchange, byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(target + exchange.getRequestURI()))
            .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body));
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> {
          if (!NOT_FORWARDED.contains(name.toLowerCase(Locale.ROOT))) {
            values.forEach(value -> request.header(name, value));
          }
        });
    return request.build();
  }

  private static void answer(HttpExchange exchange, HttpResponse<byte[]> answer)
      throws IOException {
    answer
        .headers()
        .firstValue("Content-Type")
        .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
    byte[] body = answer.body();
    exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  private static void answer(HttpExchange exchange, int status) throws IOException {
    String body = "{\"error\":{\"code\":" + status + ",\"message\":\"says the proxy\"}}";
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length());
    exchange.getResponseBody().write(body.getBytes(UTF_8));
  }

  private static Call call(HttpExchange exchange, byte[] body) throws IOException {
    String method = exchange.getRequestMethod();
    String path = exchange.getRequestURI().getRawPath();
    int object = path.indexOf("/o/");
    if (object >= 0) {
      return new Call(method, URLDecoder.decode(path.substring(object + 3), UTF_8));
    }
    if (!method.equals("POST")) {
      return new Call(method, "");
    }
    @Nullable String encoding = exchange.getRequestHeaders().getFirst("Content-Encoding");
    byte[] plain = body;
    if ("gzip".equals(encoding)) {
      plain = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
    }
    Matcher name = NAME.matcher(new String(plain, ISO_8859_1));
    return new Call(method, name.find() ? name.group(1) : "");
  }
}

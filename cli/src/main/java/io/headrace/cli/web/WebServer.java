package io.headrace.cli.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP server of things to read, on virtual threads. It answers GET and HEAD, and only requests
 * whose Host header it goes by ({@link HostCheck}). Bounded: a request has ten seconds to arrive
 * and a reply thirty to be read, and there are at most {@value #MAX_CONNECTIONS} connections; those
 * beyond are closed. Closing it twice does no harm. Thread-safe.
 */
public final class WebServer implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(WebServer.class.getName());
  private static final int MAX_CONNECTIONS = 200;
  private static final int BACKLOG = 50;

  static {
    // The JDK's server reads its bounds from system properties, once in a process.
    bound("sun.net.httpserver.maxReqTime", 10);
    bound("sun.net.httpserver.maxRspTime", 30);
    bound("jdk.httpserver.maxConnections", MAX_CONNECTIONS);
    bound("sun.net.httpserver.maxReqHeaderSize", 16 << 10);
    if (System.getProperty("sun.net.httpserver.nodelay") == null) {
      System.setProperty("sun.net.httpserver.nodelay", "true");
    }
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final HostCheck hosts;
  private final Routes routes;

  private WebServer(HttpServer server, ExecutorService threads, HostCheck hosts, Routes routes) {
    this.server = server;
    this.threads = threads;
    this.hosts = hosts;
    this.routes = routes;
  }

  private static void bound(String property, int value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(value));
    }
  }

  /**
   * Binds the port and serves.
   *
   * @throws StatusException UNAVAILABLE if the port is taken; INVALID_ARGUMENT for an interface
   *     that this host does not have
   */
  public static WebServer start(WebConfig config, Routes routes) {
    HttpServer server;
    try {
      InetAddress at = InetAddress.getByName(config.listen());
      server = HttpServer.create(new InetSocketAddress(at, config.port()), BACKLOG);
    } catch (UnknownHostException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "no interface is called " + config.listen(), e);
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.UNAVAILABLE,
          "the HTTP port %s:%d can't be used: %s"
              .formatted(config.listen(), config.port(), e.getMessage()),
          e);
    }
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 0).factory());
    WebServer started = new WebServer(server, threads, new HostCheck(config.hosts()), routes);
    server.createContext("/", started::handle);
    server.setExecutor(threads);
    server.start();
    LOGGER.log(Level.INFO, "pages and metrics are at " + started.url());
    return started;
  }

  /** The bound port. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Where it is, "http://127.0.0.1:9090/". */
  public String url() {
    InetAddress at = server.getAddress().getAddress();
    String host = at.isAnyLocalAddress() ? "localhost" : at.getHostAddress();
    return "http://%s:%d/".formatted(host.contains(":") ? "[" + host + "]" : host, port());
  }

  /** Refuses new requests and breaks off those in flight. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answer(exchange);
      Headers headers = exchange.getResponseHeaders();
      headers.set("Content-Type", answer.type());
      headers.set("Cache-Control", "no-store");
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Referrer-Policy", "no-referrer");
      headers.set(
          "Content-Security-Policy",
          "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none';"
              + " form-action 'none'");
      if (exchange.getRequestMethod().equals("HEAD")) {
        headers.set("Content-Length", Integer.toString(answer.body().length));
        exchange.sendResponseHeaders(answer.status(), -1);
      } else {
        exchange.sendResponseHeaders(
            answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
        exchange.getResponseBody().write(answer.body());
      }
    }
  }

  private Answer answer(HttpExchange exchange) {
    List<String> host = exchange.getRequestHeaders().getOrDefault("Host", List.of());
    if (host.size() != 1) {
      return Answer.failure(400, "a request needs one Host header");
    }
    if (!hosts.allows(host.getFirst())) {
      return Answer.failure(
          421,
          "this server does not go by the name in the Host header: start it with --http-hosts=NAME,"
              + " or use its address");
    }
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      return Answer.failure(405, "only GET and HEAD are answered here");
    }
    try {
      return read(exchange);
    } catch (StatusException e) {
      return Answer.failure(httpStatus(e.code()), e.message());
    } catch (IllegalArgumentException e) {
      return Answer.failure(400, "the path or query can't be decoded");
    } catch (RuntimeException e) {
      LOGGER.log(Level.WARNING, "a request failed: " + exchange.getRequestURI().getRawPath(), e);
      return Answer.failure(500, "internal error; see the log");
    }
  }

  private Answer read(HttpExchange exchange) {
    String path = Optional.ofNullable(exchange.getRequestURI().getRawPath()).orElse("");
    String query = Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
    Routes.Found found =
        routes
            .find(path)
            .orElseThrow(
                () -> new StatusException(StatusCode.NOT_FOUND, "nothing is at this path; try /"));
    String accept = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept")).orElse("");
    return found.resource().get(new WebRequest(found.words(), Routes.query(query), accept));
  }

  private static int httpStatus(StatusCode code) {
    return switch (code) {
      case INVALID_ARGUMENT, OUT_OF_RANGE -> 400;
      case PERMISSION_DENIED, UNAUTHENTICATED -> 403;
      case NOT_FOUND -> 404;
      case RESOURCE_EXHAUSTED -> 429;
      case UNAVAILABLE, FAILED_PRECONDITION, CANCELLED -> 503;
      case DEADLINE_EXCEEDED -> 504;
      default -> 500;
    };
  }
}

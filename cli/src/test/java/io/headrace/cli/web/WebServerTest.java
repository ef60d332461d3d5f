package io.headrace.cli.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server on real sockets, asked by bytes that no client library would send. */
@Timeout(value = 2, unit = MINUTES)
final class WebServerTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final WebServer server = WebServer.start(config(0), routes());

  private static WebConfig config(int port) {
    return new WebConfig(port, "127.0.0.1", List.of("feed.example"));
  }

  private static Routes routes() {
    Routes routes = new Routes();
    routes.add("/", _ -> Answer.text("a page"));
    routes.add("/echo/{}", request -> Answer.text(request.words().getFirst()));
    routes.add("/number", request -> Answer.text("" + request.number("n", 7)));
    routes.add(
        "/gone",
        _ -> {
          throw new StatusException(StatusCode.NOT_FOUND, "no job of that name");
        });
    routes.add(
        "/hangs",
        _ -> {
          throw new StatusException(StatusCode.DEADLINE_EXCEEDED, "no answer came");
        });
    routes.add(
        "/broken",
        _ -> {
          throw new IllegalStateException("a secret");
        });
    return routes;
  }

  @AfterEach
  void close() {
    server.close();
  }

  /** The whole reply to lines of a request. */
  private String send(String... lines) throws IOException {
    try (Socket socket = new Socket(LOOPBACK, server.port())) {
      socket.getOutputStream().write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private String get(String path) throws IOException {
    return send("GET " + path + " HTTP/1.1", "Host: localhost", "Connection: close");
  }

  @Test
  void get_isAnswered_andMayNotBeFramedOrSniffed() throws IOException {
    assertThat(get("/"))
        .startsWith("HTTP/1.1 200 ")
        .endsWith("\r\n\r\na page\n")
        .containsIgnoringCase("x-content-type-options: nosniff")
        .containsIgnoringCase("content-security-policy: default-src 'self'");
  }

  @Test
  void head_hasTheLengthAlone() throws IOException {
    assertThat(send("HEAD / HTTP/1.1", "Host: localhost", "Connection: close"))
        .startsWith("HTTP/1.1 200 ")
        .containsIgnoringCase("content-length: 7\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void otherMethods_areRefused() throws IOException {
    for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "PATCH")) {
      assertThat(send(method + " / HTTP/1.1", "Host: localhost", "Connection: close"))
          .as(method)
          .startsWith("HTTP/1.1 405 ")
          .containsIgnoringCase("allow: GET, HEAD");
    }
  }

  @Test
  void hostThatTheServerDoesNotGoBy_isRefused_andTold() throws IOException {
    assertThat(send("GET / HTTP/1.1", "Host: evil.example", "Connection: close"))
        .startsWith("HTTP/1.1 421 ")
        .contains("--http-hosts")
        .doesNotContain("a page");
    assertThat(send("GET / HTTP/1.1", "Host: feed.example:80", "Connection: close"))
        .startsWith("HTTP/1.1 200 ");
  }

  @Test
  void requestWithoutAHost_orWithTwo_isRefused() throws IOException {
    assertThat(send("GET / HTTP/1.0")).startsWith("HTTP/1.1 400 ");
    assertThat(send("GET / HTTP/1.1", "Host: localhost", "Host: evil.example", "Connection: close"))
        .startsWith("HTTP/1.1 400 ");
  }

  @Test
  void status_followsTheCode_withTheReason() throws IOException {
    assertThat(get("/nothing")).startsWith("HTTP/1.1 404 ");
    assertThat(get("/gone")).startsWith("HTTP/1.1 404 ").endsWith("no job of that name\n");
    assertThat(get("/hangs")).startsWith("HTTP/1.1 504 ");
    assertThat(get("/number?n=many")).startsWith("HTTP/1.1 400 ").contains("many");
    assertThat(get("/number?n=12")).endsWith("12\n");
    assertThat(get("/echo/%zz")).startsWith("HTTP/1.1 400 ");
  }

  @Test
  void bug_isNotShown() throws IOException {
    assertThat(get("/broken")).startsWith("HTTP/1.1 500 ").doesNotContain("secret");
  }

  @Test
  void portThatIsTaken_isNamed() {
    assertThatThrownBy(() -> WebServer.start(config(server.port()), routes()))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageContaining("127.0.0.1:" + server.port());
  }

  @Test
  void interfaceThatIsNotThere_isNamed() {
    assertThatThrownBy(
            () -> WebServer.start(new WebConfig(0, "no.such.name.invalid", List.of()), routes()))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining("no.such.name.invalid");
  }

  @Test
  void close_twice_doesNoHarm() {
    server.close();
    server.close();
  }
}

package io.headrace.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.rpc.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class TcpProxyTest {
  private static final int SILENCE_MILLIS = 200;

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final TcpProxy proxy = open(server.getLocalPort());

  TcpProxyTest() throws IOException {}

  @BeforeEach
  void echo() {
    Thread.ofVirtual().start(() -> serve(server));
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    server.close();
  }

  @Test
  void whatIsSaid_getsThroughBothWays() throws IOException {
    try (Socket socket = connect()) {
      assertThat(ask(socket, "one")).isEqualTo("one");
      assertThat(ask(socket, "two")).isEqualTo("two");
    }
  }

  @Test
  void whatIsSaidWhileCut_getsThroughOnceHealed() throws IOException {
    try (Socket socket = connect()) {
      assertThat(ask(socket, "one")).isEqualTo("one");
      proxy.cut();
      say(socket, "two");
      assertThatThrownBy(() -> hear(socket, 3)).isInstanceOf(SocketTimeoutException.class);
      proxy.heal();

      assertThat(hear(socket, 3)).isEqualTo("two");
    }
  }

  @Test
  void newConnectionWhileCut_isServedOnceHealed() throws IOException {
    proxy.cut();
    try (Socket socket = connect()) {
      say(socket, "one");
      assertThatThrownBy(() -> hear(socket, 3)).isInstanceOf(SocketTimeoutException.class);
      proxy.heal();

      assertThat(hear(socket, 3)).isEqualTo("one");
    }
  }

  @Test
  void endOfTheOtherSideWhileCut_isSeenOnceHealed() throws IOException {
    try (Socket socket = connect()) {
      assertThat(ask(socket, "one")).isEqualTo("one");
      proxy.cut();
      socket.shutdownOutput();
      assertThatThrownBy(() -> socket.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      proxy.heal();

      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void nobodyListensAtTheTarget_connectionEnds() throws IOException {
    // A port that no connection takes meanwhile, not even the proxy's own.
    int port = FreePort.find(new Random());
    try (TcpProxy toNobody = open(port);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), toNobody.port())) {
      assertThat(endOf(socket)).isTrue();
    }
  }

  @Test
  void close_endsConnections_thoseThatAreCutToo() throws IOException {
    try (Socket socket = connect()) {
      assertThat(ask(socket, "one")).isEqualTo("one");
      proxy.cut();
      proxy.close();

      assertThat(endOf(socket)).isTrue();
    }
  }

  private static TcpProxy open(int port) throws IOException {
    return TcpProxy.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(SILENCE_MILLIS);
    return socket;
  }

  private static String ask(Socket socket, String text) throws IOException {
    socket.setSoTimeout(10_000);
    say(socket, text);
    String answer = hear(socket, text.length());
    socket.setSoTimeout(SILENCE_MILLIS);
    return answer;
  }

  private static void say(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String hear(Socket socket, int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.UTF_8);
  }

  /** Whether the connection ends, in order or not. */
  private static boolean endOf(Socket socket) throws IOException {
    socket.setSoTimeout(10_000);
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  private static void serve(ServerSocket server) {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> echo(socket));
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private static void echo(Socket socket) {
    try (socket) {
      var _ = socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      // The test has ended.
    }
  }
}

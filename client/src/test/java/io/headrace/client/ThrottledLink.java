package io.headrace.client;

import io.headrace.runtime.time.SystemTicker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A TCP link to a local server that carries a bounded number of bytes a second, however long it was
 * idle before. Thread-safe.
 */
final class ThrottledLink implements AutoCloseable {
  private static final int PIECE_BYTES = 4 << 10;

  private final ServerSocket listening;
  private final int port;
  private final long bytesPerSecond;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private ThrottledLink(ServerSocket listening, int port, long bytesPerSecond) {
    this.listening = listening;
    this.port = port;
    this.bytesPerSecond = bytesPerSecond;
  }

  /** A link to {@code port}, for replies of {@code bytesPerSecond}. */
  static ThrottledLink open(int port, long bytesPerSecond) {
    try {
      ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      ThrottledLink link = new ThrottledLink(listening, port, bytesPerSecond);
      Thread.ofVirtual().name("throttled-link").start(link::accept);
      return link;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String address() {
    return "localhost:" + listening.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket caller = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.add(caller);
        sockets.add(server);
        Thread.ofVirtual().start(() -> copy(caller, server, Long.MAX_VALUE));
        Thread.ofVirtual().start(() -> copy(server, caller, bytesPerSecond));
      }
    } catch (IOException _) {
      // The link was closed.
    }
  }

  /** Copies until one of the sockets is closed, and closes both. */
  private static void copy(Socket from, Socket to, long bytesPerSecond) {
    long due = SystemTicker.INSTANCE.nanoTime();
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] piece = new byte[PIECE_BYTES];
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        long now = SystemTicker.INSTANCE.nanoTime();
        due = Math.max(due, now) + (long) (1e9 * count / bytesPerSecond);
        TimeUnit.NANOSECONDS.sleep(due - now);
        out.write(piece, 0, count);
      }
    } catch (IOException _) {
      // One side has ended.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

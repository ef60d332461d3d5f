package io.headrace.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A TCP relay in front of a server. Once cut, it drops all bytes and keeps the connections open.
 */
final class Relay implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 << 10;

  private final ServerSocket server;
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean cut;

  private Relay(ServerSocket server, int target) {
    this.server = server;
    this.target = target;
  }

  /** A relay at a free local port to the local port {@code target}. */
  static Relay open(int target) {
    try {
      Relay relay = new Relay(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
      Thread.ofVirtual().start(relay::accept);
      return relay;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String address() {
    return "localhost:" + server.getLocalPort();
  }

  void cut() {
    cut = true;
  }

  private void accept() {
    try {
      while (true) {
        Socket caller = server.accept();
        sockets.add(caller);
        Socket callee = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(callee);
        Thread.ofVirtual().start(() -> pass(caller, callee));
        Thread.ofVirtual().start(() -> pass(callee, caller));
      }
    } catch (IOException e) {
      // The relay was closed.
    }
  }

  private void pass(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (cut) {
          ended.await(); // bytes are dropped silently from now on
          return;
        }
        out.write(buffer, 0, read);
      }
    } catch (IOException e) {
      // One side was closed, which closes the other.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    ended.countDown();
    try {
      server.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

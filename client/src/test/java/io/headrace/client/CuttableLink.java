package io.headrace.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;

/**
 * A TCP link to a local server that can be cut: then connections break, and new ones are refused
 * until it is healed. Thread-safe.
 */
final class CuttableLink implements AutoCloseable {
  private final ServerSocket listening;
  private final int port;
  private final Set<Socket> sockets = new HashSet<>();
  private boolean cut;
  private int numRefused;

  private CuttableLink(ServerSocket listening, int port) {
    this.listening = listening;
    this.port = port;
  }

  /** A link to {@code port}. */
  static CuttableLink open(int port) {
    try {
      CuttableLink link =
          new CuttableLink(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), port);
      Thread.ofVirtual().name("link").start(link::accept);
      return link;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String target() {
    return "grpc://localhost:" + listening.getLocalPort();
  }

  synchronized void cut() {
    cut = true;
    sockets.forEach(CuttableLink::close);
    sockets.clear();
  }

  synchronized void heal() {
    cut = false;
  }

  /** The number of connections refused while it was cut. */
  synchronized int numRefused() {
    return numRefused;
  }

  @Override
  public void close() {
    cut();
    close(listening);
  }

  private void accept() {
    try {
      while (true) {
        connect(listening.accept());
      }
    } catch (IOException e) {
      // The link was closed.
    }
  }

  private synchronized void connect(Socket caller) {
    if (cut) {
      numRefused++;
      close(caller);
      return;
    }
    try {
      Socket callee = new Socket(InetAddress.getLoopbackAddress(), port);
      sockets.add(caller);
      sockets.add(callee);
      Thread.ofVirtual().name("link-there").start(() -> pass(caller, callee));
      Thread.ofVirtual().name("link-back").start(() -> pass(callee, caller));
    } catch (IOException e) {
      close(caller);
    }
  }

  private static void pass(Socket from, Socket to) {
    try (from;
        to) {
      var _ = from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // Either end, or the link, was closed.
    }
  }

  private static void close(AutoCloseable open) {
    try {
      open.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}

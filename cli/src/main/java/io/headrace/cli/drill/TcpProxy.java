package io.headrace.cli.drill;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP proxy whose network can be cut and healed. While it is cut, neither data nor the ends of
 * connections pass in either direction; both sides see a silent peer. Everything sent before or
 * meanwhile arrives after healing, as with TCP. Thread-safe.
 */
final class TcpProxy implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  private final ServerSocket server;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition healed = lock.newCondition();
  private boolean cut;
  private volatile boolean closed;

  private TcpProxy(ServerSocket server, InetSocketAddress target) {
    this.server = server;
    this.target = target;
  }

  /** Forwards connections to a free port of the loopback interface to {@code target}. */
  static TcpProxy open(InetSocketAddress target) throws IOException {
    TcpProxy proxy =
        new TcpProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
    Thread.ofVirtual().name("proxy-accept").start(proxy::accept);
    return proxy;
  }

  int port() {
    return server.getLocalPort();
  }

  /** Stops forwarding. */
  void cut() {
    lock.lock();
    try {
      cut = true;
    } finally {
      lock.unlock();
    }
  }

  /** Resumes forwarding. */
  void heal() {
    lock.lock();
    try {
      cut = false;
      healed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Closes all connections. */
  @Override
  public void close() {
    closed = true;
    quietlyClose(server);
    sockets.forEach(TcpProxy::quietlyClose);
    heal();
  }

  private void accept() {
    try {
      while (true) {
        Socket caller = server.accept();
        Thread.ofVirtual().name("proxy-connection").start(() -> connect(caller));
      }
    } catch (IOException e) {
      // The proxy was closed.
    }
  }

  private void connect(Socket caller) {
    Socket callee = new Socket();
    sockets.add(caller);
    sockets.add(callee);
    try {
      awaitHealed();
      callee.connect(new InetSocketAddress(target.getHostString(), target.getPort()));
      Thread back = Thread.ofVirtual().name("proxy-back").start(() -> pump(callee, caller));
      pump(caller, callee);
      back.join();
    } catch (IOException e) {
      // The target refuses connections: the caller's connection ends.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      quietlyClose(caller);
      quietlyClose(callee);
      sockets.remove(caller);
      sockets.remove(callee);
    }
  }

  /** Copies from {@code from} to {@code to}, until one of them ends. */
  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitHealed();
        out.write(buffer, 0, read);
      }
      awaitHealed();
      to.shutdownOutput();
    } catch (IOException e) {
      endBoth(from, to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      endBoth(from, to);
    }
  }

  /** Breaks both sides of a broken connection, once the network is healed. */
  private void endBoth(Socket from, Socket to) {
    try {
      awaitHealed();
    } catch (IOException e) {
      // The proxy was closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    quietlyClose(from);
    quietlyClose(to);
  }

  private void awaitHealed() throws IOException, InterruptedException {
    lock.lockInterruptibly();
    try {
      while (cut && !closed) {
        healed.await();
      }
    } finally {
      lock.unlock();
    }
    if (closed) {
      throw new IOException("the proxy was closed");
    }
  }

  private static void quietlyClose(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

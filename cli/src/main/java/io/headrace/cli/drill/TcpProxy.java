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
 * A network between two hosts that can be cut, and healed. While it is cut, nothing gets through in
 * either direction, the end of a connection neither; whoever is on either side sees a peer that is
 * silent. What was sent before or meanwhile arrives once it is healed, as TCP has it. Thread-safe.
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

  /** Passes on what comes to a free port of this host's loopback to {@code target}. */
  static TcpProxy open(InetSocketAddress target) throws IOException {
    TcpProxy proxy =
        new TcpProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
    Thread.ofVirtual().name("proxy-accept").start(proxy::accept);
    return proxy;
  }

  int port() {
    return server.getLocalPort();
  }

  /** From now on nothing gets through. */
  void cut() {
    lock.lock();
    try {
      cut = true;
    } finally {
      lock.unlock();
    }
  }

  /** Everything gets through again. */
  void heal() {
    lock.lock();
    try {
      cut = false;
      healed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends all connections. */
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
      // It was closed.
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
      // Nobody listens at the target: the caller sees its connection end.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      quietlyClose(caller);
      quietlyClose(callee);
      sockets.remove(caller);
      sockets.remove(callee);
    }
  }

  /** Copies what {@code from} says to {@code to}, until one of them has ended. */
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

  /** A broken connection is broken on both sides, once the news gets through. */
  private void endBoth(Socket from, Socket to) {
    try {
      awaitHealed();
    } catch (IOException e) {
      // It was closed, and so are they.
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

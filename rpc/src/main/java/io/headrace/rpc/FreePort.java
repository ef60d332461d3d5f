package io.headrace.rpc;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Ports that a server can be promised before it starts, and to which it can come back: below those
 * that systems give to outgoing connections, so that none of these takes a port while nobody
 * listens there.
 */
public final class FreePort {
  private static final int FIRST = 15_000;
  private static final int END = 30_000;
  private static final int TRIES = 1_000;

  private FreePort() {}

  /** One that nobody listens at; FAILED_PRECONDITION if there is none. */
  public static int find(RandomGenerator random) {
    for (int i = 0; i < TRIES; i++) {
      int port = random.nextInt(FIRST, END);
      if (isFree(port)) {
        return port;
      }
    }
    throw StatusException.of(
        StatusCode.FAILED_PRECONDITION, "no free port from %d to %d", FIRST, END - 1);
  }

  private static boolean isFree(int port) {
    try (ServerSocket server = new ServerSocket(port)) {
      return server.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}

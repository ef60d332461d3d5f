package io.headrace.rpc;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Finds ports for servers that need to know theirs before they start, and to restart on it. The
 * ports are below the ephemeral range, so that no outgoing connection takes one while its server is
 * down.
 */
public final class FreePort {
  private static final int FIRST = 15_000;
  private static final int END = 30_000;
  private static final int MAX_ATTEMPTS = 1_000;

  private FreePort() {}

  /** A free port; FAILED_PRECONDITION if none was found. */
  public static int find(RandomGenerator random) {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
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

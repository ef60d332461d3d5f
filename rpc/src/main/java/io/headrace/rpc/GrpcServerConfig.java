package io.headrace.rpc;

import io.headrace.runtime.status.StatusException;
import java.time.Duration;

/**
 * What a {@link GrpcServer} is started with.
 *
 * @param port where it listens, on all interfaces; 0 for any free port
 * @param receiveBudget bounds the bytes being received
 * @param idleTimeout a connection without calls for so long is closed
 * @param keepAliveTime a connection that was silent for so long is asked for a sign of life
 * @param keepAliveTimeout a connection that gives none within this is closed, as are those that
 *     never spoke HTTP/2
 * @param requestTimeout a call whose request does not come on for so long is ended
 * @param replyBytes what the replies that peers have not read yet may come to
 * @param replyTimeout a connection that takes none of its replies for so long, and more where they
 *     are large, is closed
 * @param shortWaits whether an event loop that was asked soon after its last answer keeps a
 *     processor for a moment to answer the next request sooner: for peers that wait for each answer
 *     before they ask again
 */
public record GrpcServerConfig(
    int port,
    ReceiveBudget receiveBudget,
    Duration idleTimeout,
    Duration keepAliveTime,
    Duration keepAliveTimeout,
    Duration requestTimeout,
    long replyBytes,
    Duration replyTimeout,
    boolean shortWaits) {
  private static final int MAX_PORT = 65_535;

  /** Fails with INVALID_ARGUMENT unless the port is one and the durations are positive. */
  public GrpcServerConfig {
    if (port < 0 || port > MAX_PORT) {
      throw StatusException.invalidArgument("port must be 0 (any) to %d, got %d", MAX_PORT, port);
    }
    requirePositive("idleTimeout", idleTimeout);
    requirePositive("keepAliveTime", keepAliveTime);
    requirePositive("keepAliveTimeout", keepAliveTimeout);
    requirePositive("requestTimeout", requestTimeout);
    requirePositive("replyTimeout", replyTimeout);
    if (replyBytes < 1) {
      throw StatusException.invalidArgument("replyBytes must be positive, got %d", replyBytes);
    }
  }

  /** The defaults, on {@code port}. */
  public static GrpcServerConfig onPort(int port) {
    return new GrpcServerConfig(
        port,
        ReceiveBudget.ofQuarterHeap(),
        Duration.ofMinutes(10),
        Duration.ofSeconds(20),
        Duration.ofSeconds(20),
        Duration.ofSeconds(30),
        Math.max(1, Runtime.getRuntime().maxMemory() / 4),
        Duration.ofSeconds(60),
        /* shortWaits= */ false);
  }

  /** The same with another budget. */
  public GrpcServerConfig withReceiveBudget(ReceiveBudget budget) {
    return new GrpcServerConfig(
        port,
        budget,
        idleTimeout,
        keepAliveTime,
        keepAliveTimeout,
        requestTimeout,
        replyBytes,
        replyTimeout,
        shortWaits);
  }

  /** The same with other bounds on how long a connection may be silent. */
  public GrpcServerConfig withKeepAlive(Duration time, Duration timeout) {
    return new GrpcServerConfig(
        port,
        receiveBudget,
        idleTimeout,
        time,
        timeout,
        requestTimeout,
        replyBytes,
        replyTimeout,
        shortWaits);
  }

  /** The same with another bound on how long a request may stand still. */
  public GrpcServerConfig withRequestTimeout(Duration timeout) {
    return new GrpcServerConfig(
        port,
        receiveBudget,
        idleTimeout,
        keepAliveTime,
        keepAliveTimeout,
        timeout,
        replyBytes,
        replyTimeout,
        shortWaits);
  }

  /** The same with other bounds on replies that are not read. */
  public GrpcServerConfig withReplyBounds(long bytes, Duration timeout) {
    return new GrpcServerConfig(
        port,
        receiveBudget,
        idleTimeout,
        keepAliveTime,
        keepAliveTimeout,
        requestTimeout,
        bytes,
        timeout,
        shortWaits);
  }

  /** The same with event loops that keep a processor for short waits. */
  public GrpcServerConfig withShortWaits() {
    return new GrpcServerConfig(
        port,
        receiveBudget,
        idleTimeout,
        keepAliveTime,
        keepAliveTimeout,
        requestTimeout,
        replyBytes,
        replyTimeout,
        /* shortWaits= */ true);
  }

  private static void requirePositive(String name, Duration duration) {
    if (!duration.isPositive()) {
      throw StatusException.invalidArgument("%s must be positive, got %s", name, duration);
    }
  }
}

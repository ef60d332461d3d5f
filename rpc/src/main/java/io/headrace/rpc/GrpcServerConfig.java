package io.headrace.rpc;

import io.headrace.runtime.status.StatusException;
import java.time.Duration;

/**
 * The configuration of a {@link GrpcServer}.
 *
 * @param port the port on all interfaces; 0 for any free port
 * @param receiveBudget bounds the bytes of requests in receipt
 * @param idleTimeout a connection without calls is closed after this time
 * @param keepAliveTime a silent connection is pinged after this time (HTTP/2 keep-alive)
 * @param keepAliveTimeout a connection is closed if a ping is not answered within this time, or if
 *     it never speaks HTTP/2
 * @param requestTimeout a call is ended if its request makes no progress for this time
 * @param replyBytes the bound on the bytes of replies that peers have not read yet
 * @param replyTimeout a connection is closed if its peer reads none of its replies for this time,
 *     plus a time proportional to their size
 * @param shortWaits whether event loops poll briefly for the next request before they sleep ({@link
 *     BusyPollStrategy}), which cuts the latency for peers that send one request at a time
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

  /** INVALID_ARGUMENT unless the port is valid, {@code replyBytes} and the durations positive. */
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

  /** The default configuration, on {@code port}. */
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

  /** A copy with another receive budget. */
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

  /** A copy with another keep-alive time and timeout. */
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

  /** A copy with another request timeout. */
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

  /** A copy with other bounds on unread replies. */
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

  /** A copy with event loops that poll briefly before they sleep. */
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

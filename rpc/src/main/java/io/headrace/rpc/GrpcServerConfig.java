package io.headrace.rpc;

import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.function.Consumer;

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
 * @param connectionsPerAddress the most connections that peers of one IP address may have open; a
 *     further one is closed at once
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
    int connectionsPerAddress,
    boolean shortWaits) {
  private static final int MAX_PORT = 65_535;

  /** For a thousand readers behind one address, with a few connections each. */
  private static final int DEFAULT_CONNECTIONS_PER_ADDRESS = 4096;

  /** Sets another default, for servers whose peers are all behind one proxy. */
  private static final String CONNECTIONS_PER_ADDRESS = "headrace.connections-per-address";

  /** INVALID_ARGUMENT unless the port is valid, the bounds and the durations positive. */
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
    if (connectionsPerAddress < 1) {
      throw StatusException.invalidArgument(
          "connectionsPerAddress must be positive, got %d", connectionsPerAddress);
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
        Integer.getInteger(CONNECTIONS_PER_ADDRESS, DEFAULT_CONNECTIONS_PER_ADDRESS),
        /* shortWaits= */ false);
  }

  /** A copy with another receive budget. */
  public GrpcServerConfig withReceiveBudget(ReceiveBudget budget) {
    return with(fields -> fields.receiveBudget = budget);
  }

  /** A copy with another keep-alive time and timeout. */
  public GrpcServerConfig withKeepAlive(Duration time, Duration timeout) {
    return with(fields -> {
      fields.keepAliveTime = time;
      fields.keepAliveTimeout = timeout;
    });
  }

  /** A copy with another request timeout. */
  public GrpcServerConfig withRequestTimeout(Duration timeout) {
    return with(fields -> fields.requestTimeout = timeout);
  }

  /** A copy with other bounds on unread replies. */
  public GrpcServerConfig withReplyBounds(long bytes, Duration timeout) {
    return with(fields -> {
      fields.replyBytes = bytes;
      fields.replyTimeout = timeout;
    });
  }

  /** A copy with another bound on the connections of an address. */
  public GrpcServerConfig withConnectionsPerAddress(int connections) {
    return with(fields -> fields.connectionsPerAddress = connections);
  }

  /** A copy with event loops that poll briefly before they sleep. */
  public GrpcServerConfig withShortWaits() {
    return with(fields -> fields.shortWaits = true);
  }

  private static void requirePositive(String name, Duration duration) {
    if (!duration.isPositive()) {
      throw StatusException.invalidArgument("%s must be positive, got %s", name, duration);
    }
  }

  private GrpcServerConfig with(Consumer<Fields> change) {
    Fields fields = new Fields(this);
    change.accept(fields);
    return fields.build();
  }

  /** The components of a copy. */
  private static final class Fields {
    private final int port;
    private ReceiveBudget receiveBudget;
    private final Duration idleTimeout;
    private Duration keepAliveTime;
    private Duration keepAliveTimeout;
    private Duration requestTimeout;
    private long replyBytes;
    private Duration replyTimeout;
    private int connectionsPerAddress;
    private boolean shortWaits;

    Fields(GrpcServerConfig from) {
      port = from.port;
      receiveBudget = from.receiveBudget;
      idleTimeout = from.idleTimeout;
      keepAliveTime = from.keepAliveTime;
      keepAliveTimeout = from.keepAliveTimeout;
      requestTimeout = from.requestTimeout;
      replyBytes = from.replyBytes;
      replyTimeout = from.replyTimeout;
      connectionsPerAddress = from.connectionsPerAddress;
      shortWaits = from.shortWaits;
    }

    GrpcServerConfig build() {
      return new GrpcServerConfig(
          port,
          receiveBudget,
          idleTimeout,
          keepAliveTime,
          keepAliveTimeout,
          requestTimeout,
          replyBytes,
          replyTimeout,
          connectionsPerAddress,
          shortWaits);
    }
  }
}

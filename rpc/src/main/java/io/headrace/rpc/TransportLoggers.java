package io.headrace.rpc;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Quietens what the transport logs about peers that misbehave, leave or are not there: readers end
 * by cancelling, hostile bytes must cost nothing, a log line each included, and callers get the
 * error.
 */
final class TransportLoggers {
  /** Held, because the log manager keeps loggers by weak references only. */
  private static final List<Logger> QUIET =
      List.of(
          Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty"),
          Logger.getLogger("io.grpc.netty.shaded.io.netty"),
          Logger.getLogger("io.grpc.internal.ManagedChannelImpl"));

  private TransportLoggers() {}

  static void quieten() {
    QUIET.forEach(logger -> logger.setLevel(Level.SEVERE));
  }
}

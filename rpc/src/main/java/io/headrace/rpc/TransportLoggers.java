package io.headrace.rpc;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Quietens what the transport logs about peers that misbehave or leave: readers end by cancelling,
 * and hostile bytes must cost nothing, a log line each included.
 */
final class TransportLoggers {
  /** Held, because the log manager keeps loggers by weak references only. */
  private static final List<Logger> QUIET =
      List.of(
          Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty"),
          Logger.getLogger("io.grpc.netty.shaded.io.netty"));

  private TransportLoggers() {}

  static void quieten() {
    QUIET.forEach(logger -> logger.setLevel(Level.SEVERE));
  }
}

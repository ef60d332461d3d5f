package io.headrace.rpc;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Silences the transport's log messages about peers that misbehave, disconnect or are unreachable:
 * readers end their streams by cancelling, hostile peers must not be able to fill the log, and
 * callers get the error anyway.
 */
final class TransportLoggers {
  /** Strong references, because the log manager has only weak ones. */
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

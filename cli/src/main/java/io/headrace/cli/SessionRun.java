package io.headrace.cli;

import io.headrace.cluster.Session;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine;

/** The life cycle of a command that uses its own session. */
final class SessionRun {
  /** The wait before a message says what the command waits for. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private SessionRun() {}

  /**
   * Opens a session and uses it.
   *
   * @return the exit status: 0 for success, 1 if using it failed, 2 if it can't be opened with the
   *     given flags
   */
  static int run(CommandLine command, Supplier<Session> open, Consumer<Session> use) {
    Session opened;
    try {
      opened = open.get();
    } catch (StatusException e) {
      return OneLineErrors.refuse(command, e);
    }
    try (Session session = opened;
        var _ = DelayedNotice.after(SILENCE, () -> reportWaiting(command, session))) {
      use.accept(session);
      return 0;
    } catch (StatusException e) {
      return OneLineErrors.end(command, e);
    }
  }

  private static void reportWaiting(CommandLine command, Session session) {
    if (!session.isConnected()) {
      OneLineErrors.note(
          command,
          "waiting for " + GrpcTargets.address(session.target()) + ", which does not answer yet");
    }
  }

  /** The session target for the address in a flag, with its protocol. */
  static String target(String flag) {
    return GrpcTargets.ofAddress(Flags.address("TARGET", GrpcTargets.address(flag)));
  }

  /** The settings of a session with a limit for each call; negative for none. */
  static ConfigProto limit(long timeoutMs) {
    Duration limit = Flags.millisOrNever("--timeout-ms", timeoutMs);
    return ConfigProto.newBuilder()
        .setOperationTimeoutInMs(limit.isNegative() ? 0 : limit.toMillis())
        .build();
  }
}

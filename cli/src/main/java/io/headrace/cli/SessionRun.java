package io.headrace.cli;

import io.headrace.cluster.Session;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine;

/** The life of a command that uses a session of its own. */
final class SessionRun {
  /** How long it waits without a word. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private SessionRun() {}

  /**
   * Opens a session and uses it.
   *
   * @return the exit status: 0 if it could be used, 1 if that failed, 2 if it can't be opened as
   *     the flags say
   */
  static int run(CommandLine command, Supplier<Session> open, Consumer<Session> use) {
    Session opened;
    try {
      opened = open.get();
    } catch (StatusException e) {
      return OneLineErrors.refuse(command, e);
    }
    try (Session session = opened;
        var _ = Notice.after(SILENCE, () -> sayWhatIsWaitedFor(command, session))) {
      use.accept(session);
      return 0;
    } catch (StatusException e) {
      return OneLineErrors.end(command, e);
    }
  }

  private static void sayWhatIsWaitedFor(CommandLine command, Session session) {
    if (!session.isConnected()) {
      OneLineErrors.note(
          command,
          "waiting for " + GrpcTargets.address(session.target()) + ", where nobody answers yet");
    }
  }

  /** What sessions call the task that a flag names: with its protocol. */
  static String target(String flag) {
    return GrpcTargets.ofAddress(Flags.address("TARGET", GrpcTargets.address(flag)));
  }

  /** Settings of a session whose calls take so long at most; negative for ever. */
  static ConfigProto limit(long timeoutMs) {
    Duration limit = Flags.millisOrNever("--timeout-ms", timeoutMs);
    return ConfigProto.newBuilder()
        .setOperationTimeoutInMs(limit.isNegative() ? 0 : limit.toMillis())
        .build();
  }
}

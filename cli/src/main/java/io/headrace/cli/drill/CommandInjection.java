package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An existing cluster, and a command that injects the fault. */
final class CommandInjection implements FaultInjection {
  private static final double MIDDLE = 0.4;
  private static final double READ_SECONDS = 10;

  private final String target;
  private final String command;
  private volatile @Nullable Process running;
  private volatile boolean closed;

  /**
   * The cluster of the dispatcher at {@code address}.
   *
   * @param command the {@code sh} command that injects the fault; its output goes to standard error
   */
  CommandInjection(String address, String command) {
    this.target = "grpc://" + address;
    this.command = command;
  }

  @Override
  public String prepare(Timeline timeline) {
    return target;
  }

  @Override
  public void play(DrillProgress stage)
      throws IOException, InterruptedException, DrillProgress.Over {
    stage.awaitFraction(MIDDLE);
    stage.fault(command);
    Process process =
        new ProcessBuilder(List.of("sh", "-c", "exec 1>&2\n" + command))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.INHERIT)
            .start();
    running = process;
    if (closed) {
      process.destroyForcibly();
    }
    int status = process.waitFor();
    if (status != 0) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "the command that was to make the fault ended with status %d: %s",
          status,
          command);
    }
    stage.step("the command has ended");
  }

  /** An existing cluster may have stock servers. */
  @Override
  public Optional<Guarantee> demanded() {
    return Optional.empty();
  }

  @Override
  public double readSeconds() {
    return READ_SECONDS;
  }

  @Override
  public void close() {
    closed = true;
    Process process = running;
    if (process != null) {
      process.destroyForcibly();
    }
  }
}

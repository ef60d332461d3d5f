package io.headrace.cli.drill;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.util.List;

/** Runs short system commands. */
final class SystemCommands {
  /**
   * The result of a command.
   *
   * @param status its exit status
   * @param said its output, standard error included
   */
  record Result(int status, String said) {}

  private SystemCommands() {}

  /** Runs a command to its end; the status is 127 if it can't be started. */
  static Result run(List<String> command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String said = process.inputReader().readAllAsString().strip();
      return new Result(process.waitFor(), said);
    } catch (IOException e) {
      return new Result(127, String.valueOf(e.getMessage()));
    }
  }

  /** Runs a command that must succeed; FAILED_PRECONDITION, with its output, if it fails. */
  static void need(List<String> command) throws InterruptedException {
    Result result = run(command);
    if (result.status() != 0) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "%s ended with status %d: %s",
          String.join(" ", command),
          result.status(),
          result.said());
    }
  }
}

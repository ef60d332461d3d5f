package io.headrace.cli;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger.Level;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports errors of commands in one line on standard error. */
final class OneLineErrors {
  /** The exit status of a failed command. */
  static final int FAILED = 1;

  /** The exit status of a usage error. */
  static final int USAGE = 2;

  private OneLineErrors() {}

  /** Reports a flag that is unknown, misspelled or out of range. */
  static int onBadFlag(ParameterException failure, String[] args) {
    CommandLine command = failure.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    String reason =
        failure instanceof UnmatchedArgumentException unmatched
            ? unknown(unmatched)
            : failure.getMessage();
    say(command, reason + "; see " + name + " --help");
    return USAGE;
  }

  /** Reports a command that can't run as requested. */
  static int refuse(CommandLine command, StatusException failure) {
    say(command, String.valueOf(failure.getMessage()));
    return USAGE;
  }

  /** Reports an unexpectedly long wait. */
  static void note(CommandLine command, String message) {
    say(command, message);
  }

  /** Reports the failure of a command after its start. */
  static int end(CommandLine command, StatusException failure) {
    say(command, String.valueOf(failure.getMessage()));
    return FAILED;
  }

  /** Reports a command's exception. */
  static int onFailure(Exception failure, CommandLine command, ParseResult arguments) {
    if (failure instanceof StatusException e) {
      say(command, String.valueOf(e.getMessage()));
      return isUsage(e.code()) ? USAGE : FAILED;
    }
    System.getLogger(OneLineErrors.class.getName())
        .log(Level.ERROR, command.getCommandSpec().qualifiedName() + " failed", failure);
    return FAILED;
  }

  /** Whether a different command line could succeed. */
  private static boolean isUsage(StatusCode code) {
    return switch (code) {
      case INVALID_ARGUMENT, UNIMPLEMENTED, ALREADY_EXISTS, OUT_OF_RANGE -> true;
      default -> false;
    };
  }

  private static String unknown(UnmatchedArgumentException failure) {
    String argument = failure.getUnmatched().getFirst();
    String kind = failure.isUnknownOption() ? "flag" : "command or argument";
    List<String> candidates = failure.getSuggestions();
    String hint = candidates.isEmpty() ? "" : " (did you mean " + candidates.getFirst() + "?)";
    return "unknown " + kind + " " + argument + hint;
  }

  private static void say(CommandLine command, String message) {
    command
        .getErr()
        .println(
            command.getCommandSpec().qualifiedName() + ": " + OneLineFormatter.escape(message));
    command.getErr().flush();
  }
}

package io.headrace.cli;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger.Level;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in one line on standard error why a command does not run. */
final class OneLineErrors {
  /** The command failed. */
  static final int FAILED = 1;

  /** The command was asked for wrongly. */
  static final int USAGE = 2;

  private OneLineErrors() {}

  /** A flag that is unknown, misspelt or out of range. */
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

  /** What was asked for can't be done as it was asked for. */
  static int refuse(CommandLine command, StatusException failure) {
    say(command, String.valueOf(failure.getMessage()));
    return USAGE;
  }

  /** What goes on for longer than one would think. */
  static void note(CommandLine command, String message) {
    say(command, message);
  }

  /** What was begun can't go on. */
  static int end(CommandLine command, StatusException failure) {
    say(command, String.valueOf(failure.getMessage()));
    return FAILED;
  }

  /** A command that could not do its work. */
  static int onFailure(Exception failure, CommandLine command, ParseResult arguments) {
    if (failure instanceof StatusException e) {
      say(command, String.valueOf(e.getMessage()));
      return isUsage(e.code()) ? USAGE : FAILED;
    }
    System.getLogger(OneLineErrors.class.getName())
        .log(Level.ERROR, command.getCommandSpec().qualifiedName() + " failed", failure);
    return FAILED;
  }

  /** Whether another command line is what would help. */
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

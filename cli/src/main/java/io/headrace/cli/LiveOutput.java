package io.headrace.cli;

import io.headrace.runtime.status.StatusException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;

/**
 * Standard output that shows the same thing again and again: redrawn on a terminal, one below the
 * other elsewhere. Not thread-safe.
 */
final class LiveOutput {
  private static final String HOME = "\u001b[H";
  private static final String CLEAR_TO_END_OF_LINE = "\u001b[K";
  private static final String CLEAR_TO_END = "\u001b[J";

  private final CommandLine command;
  private final PrintWriter out;
  private final boolean terminal = Terminals.isTerminal(Terminals.OUT);

  LiveOutput(CommandLine command) {
    this.command = command;
    out = command.getOut();
  }

  boolean isTerminal() {
    return terminal;
  }

  /** Prints a line, or on a terminal a screen of one. */
  void show(String line) {
    show(List.of(line));
  }

  /** Prints lines, or on a terminal a screen of them. */
  void show(List<String> lines) {
    if (terminal) {
      out.print(HOME);
      lines.forEach(line -> out.println(line + CLEAR_TO_END_OF_LINE));
      out.print(CLEAR_TO_END);
    } else {
      lines.forEach(out::println);
    }
    out.flush();
  }

  /**
   * Calls {@code view} once in a {@code period}, until a signal ends the process or nobody reads
   * the output. Failures but for that of the first call are reported: the server may be about to
   * come back.
   *
   * @param times how often at the most
   */
  void repeat(Duration period, long times, Runnable view) throws InterruptedException {
    view.run();
    // A closed pipe, as behind head, is an error of the output.
    for (long done = 1; done < times && !out.checkError(); done++) {
      Thread.sleep(period);
      try {
        view.run();
      } catch (StatusException e) {
        OneLineErrors.note(command, e.message());
      }
    }
  }
}

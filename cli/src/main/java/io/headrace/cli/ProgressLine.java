package io.headrace.cli;

import java.io.PrintWriter;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A progress line on standard error: redrawn twice a second on a terminal, otherwise a new line
 * every ten seconds. Thread-safe.
 */
final class ProgressLine implements AutoCloseable {
  private static final String START_OF_LINE = "\r\u001b[K";
  private static final long TERMINAL_MILLIS = 500;
  private static final long OTHER_MILLIS = 10_000;

  private final PrintWriter err;
  private final boolean terminal;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("progress").factory());
  private boolean drawn;

  private ProgressLine(PrintWriter err, boolean terminal) {
    this.err = err;
    this.terminal = terminal;
  }

  /** Starts to show the value of {@code text}, until closed. */
  static ProgressLine start(PrintWriter err, Supplier<String> text) {
    var line = new ProgressLine(err, Terminals.isTerminal(Terminals.ERR));
    long millis = line.terminal ? TERMINAL_MILLIS : OTHER_MILLIS;
    var _ =
        line.timer.scheduleWithFixedDelay(
            () -> line.draw(text.get()), millis, millis, TimeUnit.MILLISECONDS);
    return line;
  }

  /** Prints {@code result} on {@code out}, which may be the same terminal. */
  synchronized void print(PrintWriter out, String result) {
    erase();
    out.println(result);
  }

  /** Prints a permanent line. */
  synchronized void say(String what) {
    erase();
    err.println(what);
    err.flush();
  }

  /** Closes the progress line and prints {@code last}. */
  synchronized void finish(String last) {
    close();
    say(last);
  }

  @Override
  public synchronized void close() {
    timer.shutdownNow();
  }

  private synchronized void draw(String text) {
    if (timer.isShutdown()) {
      return;
    }
    err.print(terminal ? START_OF_LINE + text : text + System.lineSeparator());
    err.flush();
    drawn = terminal;
  }

  private void erase() {
    if (drawn) {
      err.print(START_OF_LINE);
      err.flush();
      drawn = false;
    }
  }
}

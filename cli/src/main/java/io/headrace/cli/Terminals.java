package io.headrace.cli;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds out which standard streams are terminals. */
final class Terminals {
  static final int OUT = 1;
  static final int ERR = 2;

  private Terminals() {}

  /**
   * Whether the standard stream with this number is a terminal; from /proc, since the JDK reports
   * on some of them together only.
   */
  static boolean isTerminal(int stream) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + stream)).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException _) {
      return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    }
  }
}

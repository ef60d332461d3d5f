package io.headrace.cli;

import java.util.Locale;
import java.util.logging.Level;

/** How much a process says on standard error. */
enum LogLevel {
  /** Only what failed for good. */
  ERROR,
  /** And what went wrong, and was dealt with. */
  WARNING,
  /** And what happened: a worker came, a job began. */
  INFO,
  /** And each step on the way. */
  DEBUG,
  /** And everything. */
  TRACE;

  /** The level of java.util.logging that System.Logger's level of this name is mapped to. */
  Level level() {
    return switch (this) {
      case ERROR -> Level.SEVERE;
      case WARNING -> Level.WARNING;
      case INFO -> Level.INFO;
      case DEBUG -> Level.FINE;
      case TRACE -> Level.FINER;
    };
  }

  /** As it is written in a flag. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.headrace.cli;

import java.util.Locale;
import java.util.logging.Level;

/** The verbosity of standard error. */
enum LogLevel {
  /** Failures that the process does not recover from. */
  ERROR,
  /** Also problems that were handled. */
  WARNING,
  /** Also events: a worker registered, a job started. */
  INFO,
  /** Also single operations. */
  DEBUG,
  /** Everything. */
  TRACE;

  /** The java.util.logging level to which System.Logger maps the level of this name. */
  Level level() {
    return switch (this) {
      case ERROR -> Level.SEVERE;
      case WARNING -> Level.WARNING;
      case INFO -> Level.INFO;
      case DEBUG -> Level.FINE;
      case TRACE -> Level.FINER;
    };
  }

  /** The spelling in the flag. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

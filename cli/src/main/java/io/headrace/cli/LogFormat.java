package io.headrace.cli;

import java.util.Locale;
import java.util.logging.Formatter;

/** The forms of a log's lines. */
enum LogFormat {
  /** Time, level, class and message, for people. */
  TEXT,
  /** An object a line, for collectors of logs. */
  JSON;

  Formatter formatter() {
    return switch (this) {
      case TEXT -> new OneLineFormatter();
      case JSON -> new JsonLineFormatter();
    };
  }

  /** The spelling in the flag. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.headrace.cli.drill;

import java.util.Locale;

/** The readers of drills. */
public enum ReaderKind {
  /** Headrace's own client, in the drill's process. */
  HEADRACE,
  /** An unchanged client of TensorFlow's, in a process of its own. */
  STOCK;

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

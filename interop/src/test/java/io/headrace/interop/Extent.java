package io.headrace.interop;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The tests that run: all with {@code -Dinterop.all=true}, otherwise those that CI has time for.
 */
final class Extent {
  static final String ALL = "interop.all";

  private Extent() {}

  /**
   * Skips the rest of a test unless all run.
   *
   * @param isRepetition whether it repeats others on servers that make no difference to them, or
   *     validates the cases of others on stock servers alone
   */
  static void skipRepetition(boolean isRepetition) {
    assumeTrue(!isRepetition || Boolean.getBoolean(ALL), "only with -D" + ALL + "=true");
  }
}

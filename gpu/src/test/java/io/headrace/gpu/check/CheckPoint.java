package io.headrace.gpu.check;

/**
 * One point of a verdict.
 *
 * @param name what was checked
 * @param text what was found, or why it was not checked
 */
record CheckPoint(String name, Outcome outcome, String text) {
  /** How a point came out. */
  enum Outcome {
    PASS,
    FAIL,
    SKIPPED
  }

  @Override
  public String toString() {
    return outcome + " " + name + (text.isEmpty() ? "" : ": " + text);
  }
}

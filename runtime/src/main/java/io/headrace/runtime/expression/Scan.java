package io.headrace.runtime.expression;

/** A generated loop that computes cumulative results along a dimension. Thread-safe. */
public interface Scan {
  /**
   * Scans {@code length} elements at a stride of {@code step}; a negative step scans backwards.
   *
   * @param at the index of the first element in {@code in}
   * @param to the index of its result in {@code out}
   * @param exclusive whether a result leaves out the element's own value
   */
  void run(Object in, int at, Object out, int to, int length, int step, boolean exclusive);
}

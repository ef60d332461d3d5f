package io.headrace.runtime.expression;

/** Generated code: combines each element with all before it. Thread-safe. */
public interface Scan {
  /**
   * Scans {@code length} elements, each {@code step} from the one before; a negative step scans
   * backwards.
   *
   * @param at the first in {@code in}
   * @param to where its result goes in {@code out}
   * @param exclusive whether an element's own value is left out of its result
   */
  void run(Object in, int at, Object out, int to, int length, int step, boolean exclusive);
}

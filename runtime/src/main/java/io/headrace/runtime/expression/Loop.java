package io.headrace.runtime.expression;

/**
 * A generated elementwise loop over arrays. Thread-safe.
 *
 * <p>An operand is an array read at the index being written, or a single element of an array.
 */
public interface Loop {
  /**
   * Computes the elements {@code from} up to {@code to} of {@code out}. ArithmeticException on an
   * integer division by zero.
   *
   * @param inputs the operands' arrays
   * @param at the index of each operand that is a single element; ignored for others
   * @param out the array of results; not one of {@code inputs}
   */
  void run(Object[] inputs, int[] at, Object out, int from, int to);
}

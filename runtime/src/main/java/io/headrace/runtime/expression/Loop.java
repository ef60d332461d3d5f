package io.headrace.runtime.expression;

/**
 * Generated code: one program over arrays. Thread-safe.
 *
 * <p>An operand is an array that is read at the index that is written, or one element of an array
 * that is the same throughout.
 */
public interface Loop {
  /**
   * Sets the elements {@code from} up to {@code to} of {@code out}. ArithmeticException if an
   * integer was divided by zero.
   *
   * @param inputs the operands' arrays
   * @param at for an operand that is one element, its index; otherwise not read
   * @param out the array for the results; none of {@code inputs}
   */
  void run(Object[] inputs, int[] at, Object out, int from, int to);
}

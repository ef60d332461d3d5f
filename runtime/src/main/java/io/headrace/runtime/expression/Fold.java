package io.headrace.runtime.expression;

/** A generated loop that reduces an array along a dimension. Thread-safe. */
public interface Fold {
  /**
   * Reduces each row of {@code length} adjacent elements into an element of {@code out}.
   *
   * @param in {@code rows} times {@code length} elements, from {@code at} on
   * @param out {@code rows} elements, initialized to the identity or to partial results
   */
  void rows(Object in, int at, Object out, int rows, int length);

  /**
   * Reduces each group of {@code length} runs of {@code width} elements into one run of {@code
   * out}, element by element.
   *
   * @param in {@code groups} times {@code length} runs, from {@code at} on
   * @param out {@code groups} runs, initialized to the identity or to partial results
   */
  void columns(Object in, int at, Object out, int groups, int length, int width);

  /**
   * Combines each of the first {@code count} elements of {@code in} with the element of {@code out}
   * at its index. HotSpot vectorizes this one, since both arrays have one index.
   */
  void pairs(Object in, Object out, int count);
}

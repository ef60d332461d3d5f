package io.headrace.runtime.expression;

/** Generated code: combines elements of an array along a dimension. Thread-safe. */
public interface Fold {
  /**
   * Combines each row of {@code length} neighbours with an element of {@code out}.
   *
   * @param in {@code rows} times {@code length} elements, from {@code at} on
   * @param out {@code rows} elements, each the identity or what it is to be combined with
   */
  void rows(Object in, int at, Object out, int rows, int length);

  /**
   * Combines, element by element, each run of {@code width} neighbours with one of {@code out}.
   *
   * @param in {@code groups} times {@code length} runs, from {@code at} on
   * @param out {@code groups} runs, to which all {@code length} of a group are added
   */
  void columns(Object in, int at, Object out, int groups, int length, int width);
}

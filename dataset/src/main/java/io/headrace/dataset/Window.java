package io.headrace.dataset;

import io.headrace.runtime.status.StatusException;

/**
 * The parameters of {@link Dataset#window}.
 *
 * @param size the number of elements of a window
 * @param shift the number of elements between the first elements of consecutive windows
 * @param stride the number of elements between consecutive elements of a window
 * @param dropsRemainder whether windows at the end with fewer elements are dropped
 */
public record Window(long size, long shift, long stride, boolean dropsRemainder) {
  /** INVALID_ARGUMENT unless all of size, shift and stride are at least 1. */
  public Window {
    if (size < 1 || shift < 1 || stride < 1) {
      throw StatusException.invalidArgument(
          "a window's size, shift and stride are at least 1, not %d, %d and %d",
          size, shift, stride);
    }
  }

  /** Windows of {@code size} consecutive elements, one behind the other. */
  public static Window of(long size) {
    return new Window(size, size, 1, false);
  }

  /** Begins a window every {@code elements} elements: fewer than its size let windows overlap. */
  public Window shift(long elements) {
    return new Window(size, elements, stride, dropsRemainder);
  }

  /** Takes every {@code elements}-th element of the input. */
  public Window stride(long elements) {
    return new Window(size, shift, elements, dropsRemainder);
  }

  /** Drops windows at the end that are not full. */
  public Window dropRemainder() {
    return new Window(size, shift, stride, true);
  }
}

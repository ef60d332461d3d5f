package io.headrace.gpu.ptx;

import java.util.Optional;

/**
 * Errors of single elements. A kernel computes the other elements, and leaves the first element
 * that has an error in the error word: {@code element << 8 | code}. If it has several, the word
 * tells the one with the least code. The launch sets the word to {@link #NONE} before.
 */
public enum ElementError {
  /** An integer is divided by zero. */
  DIVISION_BY_ZERO(1),
  /** An integer is raised to a negative power. */
  NEGATIVE_POWER(2),
  /** An index is out of range; the element is that of the indices. */
  INDEX_OUT_OF_RANGE(3);

  /** The word of no error. */
  public static final long NONE = -1;

  private final int code;

  ElementError(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** The error of a word, unless that is {@link #NONE}. */
  public static Optional<ElementError> of(long word) {
    for (ElementError error : values()) {
      if (word != NONE && (word & 0xff) == error.code) {
        return Optional.of(error);
      }
    }
    return Optional.empty();
  }

  /** The element of a word that has an error. */
  public static long element(long word) {
    return word >>> 8;
  }
}

package io.headrace.runtime.op;

/**
 * A call of a kernel for many rows at once. An input for which {@link #isRows} holds has a leading
 * dimension of size {@link #rows}; the other inputs are the same for every row. At least one input
 * has rows.
 */
public interface RowsCall extends KernelCall {
  /** The number of rows, at least 1. */
  int rows();

  /** Whether input {@code index} has a row dimension. */
  boolean isRows(int index);

  /** The inputs that have rows, of at most 64: bit k is set if input k has. */
  default long rowsMask() {
    long mask = 0;
    for (int i = 0; i < inputs(); i++) {
      mask |= isRows(i) ? 1L << i : 0;
    }
    return mask;
  }
}

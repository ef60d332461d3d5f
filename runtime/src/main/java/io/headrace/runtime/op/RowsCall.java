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
}

package io.headrace.runtime.op;

/**
 * A call of a kernel for many rows at once. An input for which {@link #isRows} holds has a row
 * dimension of size {@link #rows} before its own; the others are the same for every row. At least
 * one input has rows.
 */
public interface RowsCall extends KernelCall {
  /** Number of rows, at least 1. */
  int rows();

  /** Whether input {@code index} has a row dimension. */
  boolean isRows(int index);
}

package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;

/**
 * A typed expression over scalars: what an elementwise op computes for one element. Loops over
 * arrays are generated from it, and ops in a row become one larger expression. Immutable; equal
 * expressions share their generated code.
 */
public sealed interface Expression {
  /** Operand {@code index} of the loop. */
  record Input(int index, DataType dtype) implements Expression {}

  /** The dtype of its value. */
  DataType dtype();
}

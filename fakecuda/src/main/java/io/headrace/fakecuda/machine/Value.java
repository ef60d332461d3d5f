package io.headrace.fakecuda.machine;

/**
 * The value of an operand of some type: a signed integer is extended by its sign, all else (bits,
 * unsigned integers, the bits of floats, predicates) by zeros.
 */
@FunctionalInterface
interface Value {
  long get(GpuThread thread);
}

package io.headrace.fakecuda.machine;

/** The destination of an instruction. */
@FunctionalInterface
interface Target {
  /** Sets the low bits of {@code value}, as many as the instruction's type has. */
  void set(GpuThread thread, long value);
}

package io.headrace.fakecuda.machine;

/** A compiled instruction. */
@FunctionalInterface
interface KernelStep {
  /** The result of the last instruction of a thread. */
  int EXIT = -1;

  /** The result of an instruction at which the thread waits for others; its pc is the next one. */
  int WAIT = -2;

  /**
   * Executes the instruction; returns the index of the next one, {@link #EXIT} or {@link #WAIT}.
   */
  int run(GpuThread thread);
}

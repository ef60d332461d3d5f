package io.headrace.gpu.kernels;

/**
 * Computes a node with kernels of a {@link io.headrace.gpu.ptx.PtxResource}. Inputs that its op
 * declares to be read on the host ({@link io.headrace.runtime.op.Op#gpuHostInputs}) it reads there.
 * Stateless, so thread-safe.
 */
@FunctionalInterface
interface WrittenKernel {
  /**
   * Sets every output of {@code call}; or returns false, if the CPU's kernel is to: it tells the
   * errors of inputs, and takes what is beyond this one, such as rows that differ in their axes.
   */
  boolean run(GpuCall call);
}

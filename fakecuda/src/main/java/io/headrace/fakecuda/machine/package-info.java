/**
 * A GPU that interprets PTX: its memory, its threads, and the checks of every access. {@link
 * io.headrace.fakecuda.machine.GpuModule} loads a module, {@link
 * io.headrace.fakecuda.machine.KernelLaunch} runs a kernel.
 */
@NullMarked
package io.headrace.fakecuda.machine;

import org.jspecify.annotations.NullMarked;

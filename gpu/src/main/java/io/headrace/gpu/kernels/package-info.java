/**
 * The kernels of a GPU: {@link io.headrace.gpu.kernels.GpuAccelerators} finds the GPUs that a
 * server offers, and {@link io.headrace.gpu.kernels.GpuKernels} makes their kernels.
 */
@NullMarked
package io.headrace.gpu.kernels;

import org.jspecify.annotations.NullMarked;

/**
 * The CUDA driver API as the rest of Headrace sees it. {@link io.headrace.gpu.cuda.CudaDrivers}
 * looks for the driver's library on this machine; {@link io.headrace.gpu.cuda.CudaDriver} has the
 * calls.
 */
@NullMarked
package io.headrace.gpu.cuda;

import org.jspecify.annotations.NullMarked;

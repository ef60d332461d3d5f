/**
 * A GPU as the rest of Headrace uses it: {@link io.headrace.gpu.device.GpuDevice} opens one and
 * keeps it working; {@link io.headrace.gpu.device.GpuContext} has its memory, streams, copies and
 * kernels.
 */
@NullMarked
package io.headrace.gpu.device;

import org.jspecify.annotations.NullMarked;

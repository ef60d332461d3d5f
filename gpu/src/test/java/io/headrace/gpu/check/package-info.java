/** The check of a real GPU: {@code bench/gpu/run} starts {@link io.headrace.gpu.check.GpuCheck}. */
@NullMarked
package io.headrace.gpu.check;

import org.jspecify.annotations.NullMarked;

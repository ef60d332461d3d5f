/**
 * The CUDA driver API over {@code io.headrace.fakecuda.machine}, behind a library in C: {@link
 * io.headrace.fakecuda.driver.FakeCuda} starts it.
 */
@NullMarked
package io.headrace.fakecuda.driver;

import org.jspecify.annotations.NullMarked;

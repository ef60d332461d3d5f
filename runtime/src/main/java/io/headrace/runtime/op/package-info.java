/**
 * Op declarations ({@link io.headrace.runtime.op.Op}): arguments, attrs, effects, shape function
 * and kernel of an op in one place, collected from every {@link io.headrace.runtime.op.OpLibrary}
 * into {@link io.headrace.runtime.op.OpRegistry}. {@link io.headrace.runtime.op.Kernel} and {@link
 * io.headrace.runtime.op.KernelCall} are the interface between kernels and the executor. Begin with
 * {@code Op}.
 */
@NullMarked
package io.headrace.runtime.op;

import org.jspecify.annotations.NullMarked;

/**
 * The executor's elementwise machinery: it turns an op's scalar {@link
 * io.headrace.runtime.expression.Expression} into a kernel that broadcasts. {@code BroadcastPlan}
 * says how operands are read, {@code ElementwiseRun} runs the generated loops block by block,
 * {@link io.headrace.runtime.elementwise.CpuKernels} chooses between a generated and a written
 * kernel. Begin with {@link io.headrace.runtime.elementwise.ElementwiseKernel}.
 */
@NullMarked
package io.headrace.runtime.elementwise;

import org.jspecify.annotations.NullMarked;

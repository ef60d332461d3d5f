/**
 * Broadcasting kernels generated from the scalar {@link io.headrace.runtime.expression.Expression}
 * of an op. {@code EvaluationStages} splits an expression by the shapes of its subexpressions,
 * {@code BroadcastPlan} holds the access pattern of the operands, and {@code ElementwiseRun} runs
 * the generated loops directly or in cache-sized blocks ({@code BlockRun}). {@link
 * io.headrace.runtime.elementwise.CpuKernels} chooses between the generated and the written kernel
 * of a node. Begin with {@link io.headrace.runtime.elementwise.ElementwiseKernel}.
 */
@NullMarked
package io.headrace.runtime.elementwise;

import org.jspecify.annotations.NullMarked;

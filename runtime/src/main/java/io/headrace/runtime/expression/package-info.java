/**
 * Scalar expressions and the bytecode generated from them. An {@link
 * io.headrace.runtime.expression.Expression} is flattened to a {@link
 * io.headrace.runtime.expression.LoopProgram}, from which {@link
 * io.headrace.runtime.expression.GeneratedLoops} generates elementwise loops, folds and scans in a
 * form that HotSpot vectorizes. Begin with {@code Expression}, then {@code LoopWriter}.
 */
@NullMarked
package io.headrace.runtime.expression;

import org.jspecify.annotations.NullMarked;

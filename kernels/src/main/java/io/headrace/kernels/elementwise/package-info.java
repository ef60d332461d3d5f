/**
 * Arithmetic, comparisons, casts, selection, activations, reductions and scans. Most ops here are
 * declared by a scalar {@link io.headrace.runtime.expression.Expression}, for which the runtime
 * generates a broadcasting loop ({@code io.headrace.runtime.elementwise}). Kernels are written by
 * hand for dtypes without expressions: strings, complex numbers, variants. {@code Reduction}
 * implements sums and other reductions along axes. Begin with {@code ArithmeticOps}.
 */
@NullMarked
package io.headrace.kernels.elementwise;

import org.jspecify.annotations.NullMarked;

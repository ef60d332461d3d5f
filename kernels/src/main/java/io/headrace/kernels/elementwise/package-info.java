/**
 * Arithmetic, comparisons, casts, selection, reductions and scans. Most ops here are a scalar
 * {@link io.headrace.runtime.expression.Expression} and nothing else: the runtime generates their
 * loops ({@code io.headrace.runtime.elementwise}). Kernels are written by hand only where no
 * expression covers the dtypes: strings, complex numbers, variants. Begin with {@code
 * ArithmeticOps}.
 */
@NullMarked
package io.headrace.kernels.elementwise;

import org.jspecify.annotations.NullMarked;

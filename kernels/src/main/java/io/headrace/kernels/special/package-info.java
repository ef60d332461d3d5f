/**
 * Special functions of one, two and three numbers: Bessel functions, incomplete gamma and beta
 * functions, zeta, and integrals without a closed form. Each is computed in double precision, by a
 * published approximation that its class names. Begin with {@code SpecialFunctionOps}.
 */
@NullMarked
package io.headrace.kernels.special;

import org.jspecify.annotations.NullMarked;

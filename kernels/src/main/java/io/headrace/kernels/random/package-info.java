/**
 * Random ops, with TensorFlow's bits for TensorFlow's seeds. All numbers come from the
 * counter-based generator {@link io.headrace.kernels.random.Philox}; {@code Distributions} turns
 * its blocks into samples. Begin with {@link io.headrace.kernels.random.Philox}.
 */
@NullMarked
package io.headrace.kernels.random;

import org.jspecify.annotations.NullMarked;

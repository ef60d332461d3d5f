/**
 * Random ops, with TensorFlow's bits for TensorFlow's seeds. All samples come from the
 * counter-based generator {@link io.headrace.kernels.random.Philox}: {@link
 * io.headrace.kernels.random.SharedPhilox} is that of a stateful op, {@code StatelessSeeds} makes
 * that of a stateless one. {@code Distributions} maps its blocks to samples, and {@code
 * RandomKernels} holds the parts that the ops share. Begin with {@link
 * io.headrace.kernels.random.Philox}.
 */
@NullMarked
package io.headrace.kernels.random;

import org.jspecify.annotations.NullMarked;

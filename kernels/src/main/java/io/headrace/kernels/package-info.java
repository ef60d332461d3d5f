/**
 * The CPU kernels of TensorFlow's ops, one package per family. A family's class, such as {@link
 * io.headrace.kernels.movement.MovementFamily}, lists its ops. {@link io.headrace.kernels.CpuOps}
 * contributes all families to the op registry, which loads it by {@link java.util.ServiceLoader}.
 * The declaration, shape rule and kernel of an op are in one file, named after the op or its kind:
 * {@code ConcatOps}, {@code SplitOps}, {@code LrnOps}. Begin with {@link
 * io.headrace.kernels.movement.MovementFamily} and the helpers in {@code io.headrace.kernels.kit}.
 */
@NullMarked
package io.headrace.kernels;

import org.jspecify.annotations.NullMarked;

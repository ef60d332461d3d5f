/**
 * The CPU kernels of TensorFlow's ops, a package for each family. A family's class, such as {@link
 * io.headrace.kernels.movement.MovementFamily}, lists its ops; {@link io.headrace.kernels.CpuOps}
 * puts the families into the registry, where the runtime finds them by {@link
 * java.util.ServiceLoader}. An op's declaration, shape rule and kernel stand together in a file
 * named after the op or after the ops of its kind: {@code ConcatOps}, {@code SplitOps}, {@code
 * LrnOps}. Begin with {@link io.headrace.kernels.movement.MovementFamily} and the kit it is written
 * with, {@code io.headrace.kernels.kit}.
 */
@NullMarked
package io.headrace.kernels;

import org.jspecify.annotations.NullMarked;

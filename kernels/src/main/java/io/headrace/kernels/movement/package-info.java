/**
 * Ops that move, join, split, index and count elements: Concat, Split, Slice, Pad, Gather, Scatter,
 * Transpose, Unique, Where; and segment reductions. Most kernels do not depend on the dtype: they
 * are strided or indexed copies ({@link io.headrace.kernels.kit.StridedMove}, {@link
 * io.headrace.kernels.kit.IndexedMove}) over the array types of tensors. Begin with {@code
 * ConcatOps}.
 */
@NullMarked
package io.headrace.kernels.movement;

import org.jspecify.annotations.NullMarked;

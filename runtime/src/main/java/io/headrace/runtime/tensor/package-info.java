/**
 * Tensors ({@link io.headrace.runtime.tensor.Tensor}): dtype, shape and a primitive array on the
 * heap; their protocol messages ({@link io.headrace.runtime.tensor.TensorProtos}); and {@link
 * io.headrace.runtime.tensor.Chunk}, a batch of dataset elements by column. Begin with {@code
 * Tensor}.
 */
@NullMarked
package io.headrace.runtime.tensor;

import org.jspecify.annotations.NullMarked;

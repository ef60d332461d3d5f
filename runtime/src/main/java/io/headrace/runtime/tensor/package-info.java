/** Tensors and chunks: dtype, shape, and primitive arrays on the heap. */
@NullMarked
package io.headrace.runtime.tensor;

import org.jspecify.annotations.NullMarked;

/**
 * Ops over sparse tensors and sets. {@code SparseInput} checks and reads the three tensors
 * (indices, values, dense shape) that such a value is made of. Begin with {@code SparseArrangeOps}.
 */
@NullMarked
package io.headrace.kernels.sparse;

import org.jspecify.annotations.NullMarked;

/**
 * Ops over sparse tensors, and set operations. {@code SparseTensor} reads and checks the three
 * tensors of a sparse tensor (indices, values, dense shape), and sorts and slices it; {@code
 * SparseStack} stacks several. Begin with {@code SparseTensor}, then {@code SparseReorderOps}.
 */
@NullMarked
package io.headrace.kernels.sparse;

import org.jspecify.annotations.NullMarked;

/**
 * Linear algebra: matrix products, decompositions, diagonals and Einsum. Matrix products and Einsum
 * gather their operands in a {@code MatrixBatch}; {@code MatrixProduct} splits each product into
 * parallel parts and hands them to a {@code Blas}, either Java loops or the platform's library.
 * Decompositions and solvers run over the matrices of a batch with {@code PerMatrixKernel}, in
 * double precision. Begin with {@code MatMulOps}, then {@code CholeskyOps}.
 */
@NullMarked
package io.headrace.kernels.linalg;

import org.jspecify.annotations.NullMarked;

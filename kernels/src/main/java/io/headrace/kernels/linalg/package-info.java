/**
 * Products of matrices, factorizations, diagonals and Einsum. Products go through one seam, {@code
 * Blas}, which is either Java's loops or the platform's library; factorizations work on one matrix
 * after the other ({@code MatrixBatch}). Begin with {@code MatMulOps}.
 */
@NullMarked
package io.headrace.kernels.linalg;

import org.jspecify.annotations.NullMarked;

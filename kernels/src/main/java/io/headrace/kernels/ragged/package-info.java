/**
 * Ops over ragged tensors. A ragged tensor is its flat values and a vector of row splits for each
 * ragged dimension, checked by {@code RowSplits}. In datasets it is a single variant, {@code
 * RaggedVariant}. {@code RaggedPadding} converts to dense tensors. Begin with {@code RowSplits},
 * then {@code RaggedTensorToSparseOps}.
 */
@NullMarked
package io.headrace.kernels.ragged;

import org.jspecify.annotations.NullMarked;

/**
 * Ops over ragged tensors: values, and row splits that say where each row begins ({@code
 * RowSplits}); as a variant, a ragged tensor is one element of a dataset ({@code RaggedVariant}).
 * Begin with {@code RaggedTensorOps}.
 */
@NullMarked
package io.headrace.kernels.ragged;

import org.jspecify.annotations.NullMarked;

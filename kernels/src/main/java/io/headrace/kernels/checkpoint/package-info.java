/**
 * TensorFlow's checkpoints on disk. Both formats store tensors and slices of tensors by name in a
 * sorted table of LevelDB's format ({@link io.headrace.kernels.checkpoint.SstableReader}). In V2,
 * the table is an index into data files ({@link io.headrace.kernels.checkpoint.BundleReader},
 * {@link io.headrace.kernels.checkpoint.BundleWriter}); in V1, it holds the tensors themselves
 * ({@link io.headrace.kernels.checkpoint.TensorSliceReader}, {@link
 * io.headrace.kernels.checkpoint.TensorSliceWriter}). Begin with {@code SaveV2Ops} and {@code
 * RestoreV2Ops}.
 */
@NullMarked
package io.headrace.kernels.checkpoint;

import org.jspecify.annotations.NullMarked;

/**
 * TensorFlow's checkpoints on disk. Both formats keep tensors, and slices of them, by name in a
 * sorted table of the kind that LevelDB has ({@link io.headrace.kernels.checkpoint.TableReader}):
 * V2 an index of where tensors lie in data files ({@link
 * io.headrace.kernels.checkpoint.BundleReader}), V1 the tensors themselves ({@link
 * io.headrace.kernels.checkpoint.SliceFileReader}).
 */
@NullMarked
package io.headrace.kernels.checkpoint;

import org.jspecify.annotations.NullMarked;

/**
 * Helpers for writing kernels. A {@link io.headrace.kernels.kit.RowKernel} is written once for a
 * single row and for many rows, which it reads and sets through {@link
 * io.headrace.kernels.kit.Rows}; {@link io.headrace.kernels.kit.PerElement} maps each element by
 * itself. {@link io.headrace.kernels.kit.StridedMove}, {@link io.headrace.kernels.kit.AxisMoves}
 * and {@link io.headrace.kernels.kit.IndexedMove} copy blocks of elements of any dtype. {@link
 * io.headrace.kernels.kit.Shapes} computes with partially known shapes, for shape functions. No op
 * is declared here. Begin with {@link io.headrace.kernels.kit.RowKernel}.
 */
@NullMarked
package io.headrace.kernels.kit;

import org.jspecify.annotations.NullMarked;

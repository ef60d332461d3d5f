/**
 * What kernels are written with. {@link io.headrace.kernels.kit.RowKernel} and {@link
 * io.headrace.kernels.kit.Rows} let one kernel compute a single element or many rows at once;
 * {@link io.headrace.kernels.kit.PerElement} treats each element by itself; {@link
 * io.headrace.kernels.kit.StridedMove}, {@link io.headrace.kernels.kit.AxisMoves} and {@link
 * io.headrace.kernels.kit.IndexedMove} copy blocks of elements of any dtype; {@link
 * io.headrace.kernels.kit.Shapes} does arithmetic on partially known shapes. No op is declared
 * here. Begin with {@link io.headrace.kernels.kit.RowKernel}.
 */
@NullMarked
package io.headrace.kernels.kit;

import org.jspecify.annotations.NullMarked;

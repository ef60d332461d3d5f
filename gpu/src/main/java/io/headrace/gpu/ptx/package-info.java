/**
 * PTX, the assembly language of NVIDIA's GPUs, from the declarations that the CPU's loops are
 * generated from. {@link io.headrace.gpu.ptx.ElementwisePtx} writes the kernel of a program; its
 * results have the CPU's bits. Math functions come from {@code math.cu}, compiled ahead.
 */
@NullMarked
package io.headrace.gpu.ptx;

import org.jspecify.annotations.NullMarked;

/**
 * PTX, the assembly language of NVIDIA's GPUs, from the declarations that the CPU's loops are
 * generated from. {@link io.headrace.gpu.ptx.ElementwisePtx} writes the kernel of a program; its
 * results have the CPU's bits, but for those of NaN. Math functions come from {@code math.cu},
 * compiled ahead: they differ from the CPU's by a few units in the last place of doubles, and
 * hardly ever in narrower floats.
 */
@NullMarked
package io.headrace.gpu.ptx;

import org.jspecify.annotations.NullMarked;

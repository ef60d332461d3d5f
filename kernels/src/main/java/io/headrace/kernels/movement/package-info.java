/**
 * Ops that move, join, cut, count and choose elements without computing with them: Concat, Split,
 * Slice, Pad, Gather, Scatter, Transpose, Unique, Where. Nearly all are written once for elements
 * of 1, 2, 4, 8 and 16 bytes and for references, over the moves of {@code io.headrace.kernels.kit}.
 * Begin with {@code ConcatOps}.
 */
@NullMarked
package io.headrace.kernels.movement;

import org.jspecify.annotations.NullMarked;

/**
 * Ops that decode, encode, resize, crop, warp and recolor images, and that choose boxes. Each file
 * format has a decoder or an encoder of its own, with TensorFlow's bits; {@code Pixels} is what
 * they exchange. Begin with {@code DecodeImageOps} or {@code ResizeOps}.
 */
@NullMarked
package io.headrace.kernels.image;

import org.jspecify.annotations.NullMarked;

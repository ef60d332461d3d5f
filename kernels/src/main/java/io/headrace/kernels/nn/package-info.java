/**
 * Ops of neural networks: convolution, pooling, normalization, losses and candidate sampling.
 * {@code WindowAttrs} reads the window attrs of convolutions and pools and yields a {@code
 * SlidingWindow}; {@code Convolution} computes a convolution and its gradients as matrix products
 * with the window's {@code Im2Col}, and {@code Pool} visits the same window. Kernels compute in
 * channels-last format; {@code ChannelLayout} converts. Begin with {@code ConvOps}.
 */
@NullMarked
package io.headrace.kernels.nn;

import org.jspecify.annotations.NullMarked;

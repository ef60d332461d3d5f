/**
 * Ops of neural networks: convolutions, pools, normalization, losses and candidate sampling. A
 * convolution, and each of its gradients, is a product of matrices with the patches that a window
 * takes in of the images ({@code Patches}, {@code ImageWindow}). Begin with {@code ConvOps}.
 */
@NullMarked
package io.headrace.kernels.nn;

import org.jspecify.annotations.NullMarked;

/**
 * Values of variant tensors: tensor lists, which TensorFlow 2 loops collect their results in, and
 * compressed elements, which the data service transfers. {@code VariantMath} gives zeros and sums
 * of them, as gradients need. Begin with {@code TensorListOps}.
 */
@NullMarked
package io.headrace.kernels.variant;

import org.jspecify.annotations.NullMarked;

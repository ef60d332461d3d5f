/**
 * Variant tensors: tensor lists, in which TensorFlow 2 loops collect their results, and compressed
 * elements, which the data service transfers. A {@code TensorList} is a persistent {@code
 * TensorVector} with a dtype and an element shape. {@code VariantMath} computes the zeros and sums
 * of variants for gradients. Begin with {@code TensorListOps}.
 */
@NullMarked
package io.headrace.kernels.variant;

import org.jspecify.annotations.NullMarked;

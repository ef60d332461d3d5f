/**
 * Variables, by resource handle ({@code ResourceVariableOps}) and by TensorFlow 1's reference
 * ({@code RefVariableOps}), and the optimizers that update them. {@code VariableResource} holds the
 * value; an optimizer is a rule over arrays ({@code OptimizerRules}) that {@code OptimizerKernel}
 * applies to whole parameters or to rows. Begin with {@code ResourceVariableOps}.
 */
@NullMarked
package io.headrace.kernels.variable;

import org.jspecify.annotations.NullMarked;

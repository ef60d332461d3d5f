/**
 * Variables, by resource handle and by reference, and the optimizers that update them. {@code
 * VariableResource} holds a value; an optimizer is a rule over arrays ({@code OptimizerRules}) that
 * {@code OptimizerKernel} runs on whole parameters or on rows. Begin with {@code
 * ResourceVariableOps}.
 */
@NullMarked
package io.headrace.kernels.variable;

import org.jspecify.annotations.NullMarked;

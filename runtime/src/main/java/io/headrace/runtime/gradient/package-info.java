/**
 * Automatic differentiation of graphs. {@link io.headrace.runtime.gradient.Gradients} adds the
 * nodes of a backward pass to a graph, from a {@code GradientRule} per op; the rules are in classes
 * by kind of op. Begin with {@code Gradients}.
 */
@NullMarked
package io.headrace.runtime.gradient;

import org.jspecify.annotations.NullMarked;

/**
 * Graphs: reading and validating GraphDefs and FunctionDefs ({@link
 * io.headrace.runtime.graph.GraphReader} for the part that results need, {@link
 * io.headrace.runtime.graph.FlowGraph} for a session's whole graph), and building them ({@link
 * io.headrace.runtime.graph.GraphBuilder}, {@link io.headrace.runtime.graph.FunctionBuilder} for
 * traced lambdas). Begin with {@code Node} and {@code GraphReader}, or with {@code Output} to build
 * a graph.
 */
@NullMarked
package io.headrace.runtime.graph;

import org.jspecify.annotations.NullMarked;

/**
 * Execution of graphs and functions. {@link io.headrace.runtime.execute.GraphExecutor} runs a
 * session's graph as a dataflow: nodes run when their inputs arrive, with TensorFlow 1's control
 * flow and a {@link io.headrace.runtime.execute.Rendezvous} for transfers. {@link
 * io.headrace.runtime.execute.FunctionLibrary} compiles a function to a {@code Program}, a list of
 * steps over registers, which runs row by row or over whole columns. Begin with {@code
 * GraphExecutor} and {@code FunctionLibrary}.
 */
@NullMarked
package io.headrace.runtime.execute;

import org.jspecify.annotations.NullMarked;

/**
 * The Dataset API: begin with {@link io.headrace.dataset.Dataset}, whose transformations trace
 * lambdas ({@link io.headrace.dataset.Functions}) and add nodes to a TensorFlow graph. {@link
 * io.headrace.dataset.ElementIterator} reads a dataset element by element, {@link
 * io.headrace.dataset.ChunkReader} in chunks, and {@link io.headrace.dataset.Checkpoint} resumes a
 * distributed read. {@code dataset.execute} runs the graphs.
 */
@NullMarked
package io.headrace.dataset;

import org.jspecify.annotations.NullMarked;
